#include "publish/token_exchange.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/limits.h"
#include "base/mask.h"
#include "base/text.h"
#include "base/url.h"
#include "publish/exchange_error.h"
#include "publish/reply.h"

namespace pinwheel::publish {
namespace {

constexpr int kSuccess = 200;
constexpr int kElsewhere = 300;
constexpr int kRefusal = 400;
constexpr int kForbidden = 403;
constexpr std::array kNoPage = {404, 405, 410};
constexpr int kTooMany = 429;
constexpr int kServerFault = 500;
constexpr std::chrono::minutes kLongestUse{10};
constexpr std::chrono::seconds kShortestUse{1};

bool may_pass(int status) {
  return status == kTooMany || status >= kServerFault;
}

bool succeeded(int status) {
  return status >= kSuccess && status < kElsewhere;
}

nlohmann::json object_in(const ports::HttpResponse& response) {
  nlohmann::json page = read_json(response.body);
  return page.is_object() ? page : nlohmann::json::object();
}

std::string text_in(const nlohmann::json& page, const char* key) {
  const auto found = page.find(key);
  return found != page.end() && found->is_string() ? found->get<std::string>() : std::string();
}

ports::HttpRequest exchange_request(std::string_view exchange, std::string_view what) {
  ports::HttpRequest request;
  request.url = fmt::format("{}{}", exchange, what);
  request.headers = {{"Accept", "application/json"}};
  request.body_limit = limits::kTokenReply;
  return request;
}

ports::HttpRequest with_token(std::string_view exchange, std::string_view what,
                              const Secret& token) {
  ports::HttpRequest request = exchange_request(exchange, what);
  request.method = "POST";
  request.headers.emplace_back("Content-Type", "application/json");
  nlohmann::json body;
  body["token"] = token.reveal();
  request.body = body.dump();
  return request;
}

Error busy(const ports::HttpResponse& response, const ExchangeParties& parties) {
  return {ErrorKind::transient,
          fmt::format("{} does not exchange tokens now: HTTP {}", quoted(parties.target),
                      response.status),
          std::nullopt,
          "run the same command again",
          {}};
}

/// The audiences that only mean an index itself, the usual one first.
std::vector<std::string> own_audiences(const Endpoint& endpoint) {
  if (has_pypi_rules(endpoint.kind)) return {std::string(to_string(endpoint.kind))};
  const std::optional<UrlParts> url = split_url(endpoint.upload_url);
  if (!url) return {endpoint.upload_url};
  return {url->host, fmt::format("{}://{}", url->scheme, url->host), endpoint.upload_url,
          std::string(without_trailing_slashes(endpoint.upload_url))};
}

/// Whether an index says that it does not trust the job: what has no such page says nothing of it.
bool refuses(const ports::HttpResponse& response, const nlohmann::json& page) {
  if (response.status < kRefusal || response.status >= kServerFault) return false;
  return page.contains("errors") || std::ranges::find(kNoPage, response.status) == kNoPage.end();
}

/// A page of the exchange answers what none of an index that speaks it does; `lacking` is what a
/// success should have had.
Error no_exchange(const ports::HttpResponse& response, const ExchangeParties& parties,
                  std::string_view page, std::string_view lacking, const HiddenText& hidden) {
  Error error{
      ErrorKind::publish,
      fmt::format("{} does not speak trusted publishing: its page /_/oidc/{} answers HTTP {}",
                  quoted(parties.target), page, response.status),
      std::nullopt,
      "publish with a token: PINWHEEL_TOKEN_<TARGET>, --token-file or ~/.pypirc; if it "
      "needs none, `auth: none` in the matrix or --no-auth",
      {}};
  const std::string location = short_line(header(response, "location"), hidden);
  if (is_redirect(response.status) && !location.empty()) {
    error.message += fmt::format(", moved to {}", quoted(mask_urls(location)));
  }
  if (succeeded(response.status)) error.message += fmt::format(" without {}", lacking);
  return error;
}

}  // namespace

Result<std::string> exchange_url(std::string_view upload_url) {
  const std::optional<UrlParts> url = split_url(upload_url);
  if (!url || (url->scheme != "https" && !is_loopback(url->host))) {
    return fail(ErrorKind::usage,
                fmt::format("trusted publishing would send tokens without encryption to {}",
                            quoted(url ? url->host : std::string(upload_url))),
                "use an upload URL that starts with https://; --insecure does not change this");
  }
  return fmt::format("{}://{}/_/oidc/", url->scheme, url->host);
}

ports::HttpRequest audience_request(std::string_view exchange) {
  return exchange_request(exchange, "audience");
}

Result<std::string> audience_reply(const ports::HttpResponse& response,
                                   const ExchangeParties& parties) {
  if (may_pass(response.status)) return fail(busy(response, parties));
  const std::string audience = text_in(object_in(response), "audience");
  if (succeeded(response.status) && !audience.empty()) return audience;
  Error error = no_exchange(response, parties, "audience", "an audience", HiddenText());
  if (response.status == kForbidden) {
    error.message = fmt::format(
        "{} has turned trusted publishing off: its page /_/oidc/audience answers HTTP {}",
        quoted(parties.target), response.status);
  }
  return fail(std::move(error));
}

Done check_audience(const std::string& audience, const Endpoint& endpoint,
                    const std::string& stated, const ExchangeParties& parties) {
  const std::vector<std::string> own =
      stated.empty() ? own_audiences(endpoint) : std::vector<std::string>{stated};
  if (std::ranges::find(own, audience) != own.end()) return {};
  Error error{ErrorKind::publish,
              fmt::format("{} asks for an identity token for the audience {}, and {} is its own",
                          quoted(parties.target), quoted(audience), quoted(own.front()))};
  if (has_pypi_rules(endpoint.kind)) return fail(std::move(error));
  return fail(std::move(error).with_hint(
      "whoever has a token for an audience can act as this job wherever that is trusted; if it is "
      "the index's own, write it as `audience` of the target in the matrix"));
}

ports::HttpRequest mint_request(std::string_view exchange, const Secret& identity) {
  return with_token(exchange, "mint-token", identity);
}

Result<UploadToken> mint_reply(const ports::HttpResponse& response, const Secret& identity,
                               const ExchangeParties& parties) {
  if (may_pass(response.status)) return fail(busy(response, parties));
  const nlohmann::json page = object_in(response);
  UploadToken minted{Secret(text_in(page, "token"))};
  if (!succeeded(response.status) || minted.token.empty()) {
    if (refuses(response, page)) return fail(exchange_error(response, identity, parties));
    HiddenText hidden;
    hidden.add(identity);
    return fail(no_exchange(response, parties, "mint-token", "a token", hidden));
  }
  const auto expires = page.find("expires");
  if (expires != page.end() && expires->is_number_integer()) {
    minted.expires = std::chrono::system_clock::time_point(
        std::chrono::seconds(std::clamp<int64_t>(expires->get<int64_t>(), 0, INT32_MAX)));
  }
  return minted;
}

ports::HttpRequest burn_request(std::string_view exchange, const Secret& token) {
  return with_token(exchange, "burn-token", token);
}

Done burn_reply(const ports::HttpResponse& response) {
  if (succeeded(response.status)) return {};
  return fail(ErrorKind::publish, fmt::format("the index answers HTTP {}", response.status));
}

std::chrono::milliseconds fresh_for(const UploadToken& token,
                                    std::chrono::system_clock::time_point now) {
  constexpr int kParts = 3;
  if (!token.expires) return kLongestUse;
  const auto life = std::chrono::duration_cast<std::chrono::milliseconds>(*token.expires - now);
  return std::clamp<std::chrono::milliseconds>(life * (kParts - 1) / kParts, kShortestUse,
                                               kLongestUse);
}

}  // namespace pinwheel::publish
