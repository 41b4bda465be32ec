#include "publish/token_exchange.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "base/hidden_text.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/mask.h"
#include "base/text.h"
#include "base/url.h"
#include "pep/pypi.h"
#include "publish/identity_claims.h"
#include "publish/reply.h"

namespace pinwheel::publish {
namespace {

/// The codes of warehouse, which defined the exchange.
enum class RefusalCode {
  invalid_payload,
  not_enabled,
  invalid_token,
  invalid_reuse_token,
  invalid_pending_publisher,
  invalid_publisher,
  other,
};

struct Refusal {
  RefusalCode code = RefusalCode::other;
  std::string description = {};
};

RefusalCode parse_code(std::string_view code) {
  constexpr auto kCodes = std::to_array<std::pair<std::string_view, RefusalCode>>(
      {{"invalid-payload", RefusalCode::invalid_payload},
       {"not-enabled", RefusalCode::not_enabled},
       {"invalid-token", RefusalCode::invalid_token},
       {"invalid-reuse-token", RefusalCode::invalid_reuse_token},
       {"invalid-pending-publisher", RefusalCode::invalid_pending_publisher},
       {"invalid-publisher", RefusalCode::invalid_publisher}});
  for (const auto& [name, value] : kCodes) {
    if (code == name) return value;
  }
  return RefusalCode::other;
}

std::string text_member(const nlohmann::json& value, const char* key) {
  const auto found = value.is_object() ? value.find(key) : value.end();
  return found != value.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// The first error of the reply, else its message.
Refusal refusal_in(const ports::HttpResponse& response, const HiddenText& hidden) {
  const auto page = read_json(response.body);
  const auto errors = page.is_object() ? page.find("errors") : page.end();
  if (errors != page.end() && errors->is_array() && !errors->empty()) {
    const nlohmann::json& first = errors->front();
    return {parse_code(text_member(first, "code")),
            short_line(text_member(first, "description"), hidden)};
  }
  return {RefusalCode::other, server_message(response, hidden)};
}

/// The page on which a person configures the jobs that the index trusts.
std::string settings_of(const ExchangeParties& parties) {
  switch (parties.index) {
    case IndexKind::pypi:
      return fmt::format(
          "on https://{}, in the project's settings under Publishing (for a project "
          "that does not exist yet: in your account's)",
          pep::kPypiHost);
    case IndexKind::testpypi:
      return fmt::format(
          "on https://{}, in the project's settings under Publishing (for a project "
          "that does not exist yet: in your account's)",
          pep::kTestPypiHost);
    case IndexKind::other:
      break;
  }
  return fmt::format("where {} lists the publishers of the project", quoted(parties.target));
}

/// The fields of the form that adds a publisher, filled from the claims.
std::string github_publisher(const IdentityClaims& claims) {
  std::string fields =
      fmt::format("repository {}, workflow {}", quoted(value_at(claims, "repository")),
                  quoted(last_part(workflow_path(value_at(claims, "job_workflow_ref")))));
  const std::string environment = value_at(claims, "environment");
  return fields + (environment.empty() ? std::string(", no environment")
                                       : fmt::format(", environment {}", quoted(environment)));
}

std::string gitlab_publisher(const IdentityClaims& claims) {
  std::string fields = fmt::format("project {}", quoted(value_at(claims, "project_path")));
  const std::string pipeline = value_at(claims, "ci_config_ref_uri");
  if (!pipeline.empty()) fields += fmt::format(", pipeline file of {}", quoted(pipeline));
  const std::string environment = value_at(claims, "environment");
  return fields + (environment.empty() ? std::string(", no environment")
                                       : fmt::format(", environment {}", quoted(environment)));
}

std::string circleci_claim(const IdentityClaims& claims, std::string_view name) {
  return value_at(claims, fmt::format("oidc.circleci.com/{}", name));
}

std::string circleci_publisher(const IdentityClaims& claims) {
  std::string fields = fmt::format("organization ID {}, project ID {}, pipeline definition ID {}",
                                   quoted(circleci_claim(claims, "org-id")),
                                   quoted(circleci_claim(claims, "project-id")),
                                   quoted(circleci_claim(claims, "pipeline-definition-id")));
  std::vector<std::string> optional;
  for (const auto& [claim, field] :
       {std::pair("context-ids", "context ID"), std::pair("vcs-ref", "VCS ref"),
        std::pair("vcs-origin", "VCS origin")}) {
    const std::string value = circleci_claim(claims, claim);
    if (!value.empty()) optional.push_back(fmt::format("{} {}", field, quoted(value)));
  }
  if (optional.empty()) return fields;
  return fmt::format("{}; optional fields: {}", fields, join(optional, ", "));
}

std::string publisher_of(const ExchangeParties& parties, const IdentityClaims& claims) {
  switch (parties.provider) {
    case IdentityProvider::github:
      return github_publisher(claims);
    case IdentityProvider::gitlab:
      return gitlab_publisher(claims);
    case IdentityProvider::google:
      return fmt::format("email {}", quoted(value_at(claims, "email")));
    case IdentityProvider::circleci:
      return circleci_publisher(claims);
    case IdentityProvider::buildkite:
      break;
  }
  return fmt::format("issuer {}, subject {}", quoted(value_at(claims, "iss")),
                     quoted(value_at(claims, "sub")));
}

std::string added_publisher(const ExchangeParties& parties, const IdentityClaims& claims) {
  return fmt::format("a publisher of {} {}: {}", to_string(parties.provider), settings_of(parties),
                     publisher_of(parties, claims));
}

/// The advice for a job that no publisher matches.
std::string publisher_advice(const ExchangeParties& parties, const IdentityClaims& claims,
                             std::string_view description) {
  const bool target_event = value_at(claims, "event_name") == "pull_request_target" ||
                            description.find("pull_request_target") != std::string_view::npos;
  if (target_event) {
    return "publish from a workflow that a push, a tag or a release starts: a job of "
           "`pull_request_target` runs code that anybody may propose";
  }
  if (parties.provider == IdentityProvider::github && in_reusable_workflow(claims)) {
    return fmt::format(
        "move the job that publishes out of the reusable workflow {} into {}, which calls it: an "
        "index trusts only jobs that a workflow has itself",
        quoted(workflow_path(value_at(claims, "job_workflow_ref"))),
        quoted(workflow_path(value_at(claims, "workflow_ref"))));
  }
  if (circleci_claim(claims, "ssh-rerun") == "true") {
    return "run the job again without SSH: an index does not trust a job that a person can enter";
  }
  return "add " + added_publisher(parties, claims);
}

std::string token_advice(const ExchangeParties& parties) {
  if (parties.provider == IdentityProvider::gitlab) {
    return fmt::format(
        "its audience must be that of the index, so give the job {}; and the job must publish "
        "before the token expires",
        gitlab_id_tokens(parties.index));
  }
  return "compare the claims with what the index expects, and the clock of the machine with the "
         "time";
}

/// PyPI uses one code for several errors, including the project name of a pending publisher.
std::string payload_advice(const ExchangeParties& parties, const IdentityClaims& claims,
                           std::string_view description) {
  if (description.find("issuer") != std::string_view::npos) {
    return fmt::format(
        "the index may not accept tokens of this issuer, {}; if it is your own, let an owner of "
        "the organization register it with the index",
        quoted(value_at(claims, "iss")));
  }
  return fmt::format(
      "if a pending publisher should create the project, the index rejects it: correct its project "
      "name, {}",
      settings_of(parties));
}

std::string advice_on(RefusalCode code, const ExchangeParties& parties,
                      const IdentityClaims& claims, std::string_view description) {
  switch (code) {
    case RefusalCode::invalid_publisher:
      return publisher_advice(parties, claims, description);
    case RefusalCode::invalid_pending_publisher:
      return fmt::format(
          "the pending publisher names a project that already exists: add the publisher to that "
          "project, {}, or correct the name of the pending one",
          settings_of(parties));
    case RefusalCode::invalid_reuse_token:
      return renews_identity(parties.provider)
                 ? "run the same command again: it asks for a new identity token"
                 : "run the job again: its identity token is accepted only once, so one job can "
                   "publish to one index once";
    case RefusalCode::not_enabled:
      return fmt::format("publish with a token for now; the index does not accept tokens of {}",
                         to_string(parties.provider));
    case RefusalCode::invalid_payload:
      return payload_advice(parties, claims, description);
    case RefusalCode::invalid_token:
      return token_advice(parties);
    case RefusalCode::other:
      break;
  }
  return "if this persists, publish with a token: PINWHEEL_TOKEN_<TARGET>, --token-file or "
         "~/.pypirc";
}

}  // namespace

std::string exchanged_token_advice(const Secret& identity, const ExchangeParties& parties) {
  return fmt::format(
      "the index issued this token for the job, and accepts it for projects that have the job as a "
      "publisher: the project of this file needs {}",
      added_publisher(parties, identity_claims(identity)));
}

Error exchange_error(const ports::HttpResponse& response, const Secret& identity,
                     const ExchangeParties& parties) {
  const IdentityClaims claims = identity_claims(identity);
  HiddenText hidden;
  hidden.add(identity);
  const Refusal refusal = refusal_in(response, hidden);
  Error error{
      ErrorKind::publish,
      fmt::format("{} does not trust this job: HTTP {}", quoted(parties.target), response.status),
      std::nullopt,
      advice_on(refusal.code, parties, claims, refusal.description),
      {}};
  if (!refusal.description.empty()) {
    error.message += fmt::format(", {}", quoted(refusal.description));
  }
  const std::string shown = shown_claims(claims);
  if (!shown.empty()) {
    error.causes.push_back(
        Error{ErrorKind::publish,
              fmt::format("the identity token of {} says: {}", to_string(parties.provider), shown),
              std::nullopt,
              {},
              {}});
  }
  return error;
}

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

ports::HttpRequest page_request(std::string_view exchange, std::string_view what) {
  ports::HttpRequest request;
  request.url = fmt::format("{}{}", exchange, what);
  request.headers = {{"Accept", "application/json"}};
  request.body_limit = limits::kTokenReply;
  return request;
}

ports::HttpRequest with_token(std::string_view exchange, std::string_view what,
                              const Secret& token) {
  ports::HttpRequest request = page_request(exchange, what);
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

/// The audiences that refer to an index itself, the usual one first.
std::vector<std::string> own_audiences(const Endpoint& endpoint) {
  if (has_pypi_rules(endpoint.kind)) return {std::string(to_string(endpoint.kind))};
  const std::optional<UrlParts> url = split_url(endpoint.upload_url);
  if (!url) return {endpoint.upload_url};
  return {url->host, fmt::format("{}://{}", url->scheme, url->host), endpoint.upload_url,
          std::string(without_trailing_slashes(endpoint.upload_url))};
}

/// Whether an index reports that it does not trust the job: an index without such a page reports
/// nothing about it.
bool refuses(const ports::HttpResponse& response, const nlohmann::json& page) {
  if (response.status < kRefusal || response.status >= kServerFault) return false;
  return page.contains("errors") || std::ranges::find(kNoPage, response.status) == kNoPage.end();
}

/// A reply that no index with the exchange sends, such as a page; `lacking` is the missing member
/// of a success.
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
    error.message += fmt::format(", moved to {}", quoted_url(location));
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
  return page_request(exchange, "audience");
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

ports::HttpRequest exchange_request(std::string_view exchange, const Secret& identity) {
  return with_token(exchange, "mint-token", identity);
}

Result<UploadToken> exchange_reply(const ports::HttpResponse& response, const Secret& identity,
                                   const ExchangeParties& parties) {
  if (may_pass(response.status)) return fail(busy(response, parties));
  const nlohmann::json page = object_in(response);
  UploadToken exchanged{Secret(text_in(page, "token"))};
  if (!succeeded(response.status) || exchanged.token.empty()) {
    if (refuses(response, page)) return fail(exchange_error(response, identity, parties));
    HiddenText hidden;
    hidden.add(identity);
    return fail(no_exchange(response, parties, "mint-token", "a token", hidden));
  }
  const auto expires = page.find("expires");
  if (expires != page.end() && expires->is_number_integer()) {
    exchanged.expires = std::chrono::system_clock::time_point(
        std::chrono::seconds(std::clamp<int64_t>(expires->get<int64_t>(), 0, INT32_MAX)));
  }
  return exchanged;
}

ports::HttpRequest revocation_request(std::string_view exchange, const Secret& token) {
  return with_token(exchange, "burn-token", token);
}

Done revocation_reply(const ports::HttpResponse& response) {
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
