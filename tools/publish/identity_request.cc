#include "publish/identity_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/json.h"
#include "base/limits.h"
#include "base/text.h"
#include "base/url.h"
#include "publish/reply.h"

namespace pinwheel::publish {
namespace {

constexpr int kFound = 200;
constexpr int kBusy = 429;
constexpr int kBroken = 500;

ports::HttpRequest small_request(std::string url) {
  ports::HttpRequest request;
  request.url = std::move(url);
  request.body_limit = limits::kTokenReply;
  request.patience = kIdentityPatience;
  return request;
}

std::string metadata_url(const std::map<std::string, std::string>& variables,
                         std::string_view what) {
  const std::string named = value_at(variables, "GCE_METADATA_HOST");
  return fmt::format("http://{}/computeMetadata/v1/instance/service-accounts/default/{}",
                     named.empty() ? "metadata.google.internal" : named, what);
}

}  // namespace

Result<ports::HttpRequest> github_identity_request(
    const std::map<std::string, std::string>& variables, std::string_view audience) {
  const std::string address = value_at(variables, "ACTIONS_ID_TOKEN_REQUEST_URL");
  const std::optional<UrlParts> parts = split_url(address);
  if (!parts || (parts->scheme != "https" && !is_loopback(parts->host))) {
    return fail(ErrorKind::usage,
                "the variable `ACTIONS_ID_TOKEN_REQUEST_URL` is no address that starts with "
                "https://",
                "it is set by GitHub's runner; do not change it");
  }
  const std::string base = address.substr(0, address.find('#'));
  const char joint = base.find('?') == std::string::npos ? '?' : '&';
  ports::HttpRequest request =
      small_request(fmt::format("{}{}audience={}", base, joint, encode_segment(audience)));
  request.headers = {
      {"Accept", "application/json"},
      {"Authorization", "bearer " + value_at(variables, "ACTIONS_ID_TOKEN_REQUEST_TOKEN")}};
  return request;
}

ports::HttpRequest google_identity_request(const std::map<std::string, std::string>& variables,
                                           std::string_view audience) {
  ports::HttpRequest request = small_request(fmt::format(
      "{}?audience={}&format=full", metadata_url(variables, "identity"), encode_segment(audience)));
  request.headers = {{"Metadata-Flavor", "Google"}};
  return request;
}

ports::HttpRequest google_access_request(const std::map<std::string, std::string>& variables) {
  ports::HttpRequest request = small_request(
      metadata_url(variables, "token") + "?scopes=https://www.googleapis.com/auth/cloud-platform");
  request.headers = {{"Metadata-Flavor", "Google"}};
  return request;
}

ports::HttpRequest google_impersonation_request(std::string_view account, const Secret& access,
                                                std::string_view audience) {
  ports::HttpRequest request = small_request(
      fmt::format("https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/{}:"
                  "generateIdToken",
                  encode_segment(account)));
  request.method = "POST";
  request.headers = {{"Content-Type", "application/json"},
                     {"Authorization", "Bearer " + access.reveal()}};
  nlohmann::json body;
  body["audience"] = std::string(audience);
  body["includeEmail"] = true;
  request.body = body.dump();
  return request;
}

std::vector<std::string> buildkite_identity_command(std::string_view audience) {
  return {"buildkite-agent", "oidc", "request-token", "--audience", std::string(audience)};
}

std::vector<std::string> circleci_identity_command(std::string_view audience) {
  nlohmann::json claims;
  claims["aud"] = std::string(audience);
  return {"circleci", "run", "oidc", "get", "--root-issuer", "--claims", claims.dump()};
}

Result<Secret> identity_reply(const ports::HttpResponse& response, std::string_view provider,
                              std::string_view key) {
  if (response.status != kFound) {
    const bool busy = response.status == kBusy || response.status >= kBroken;
    return fail(
        busy ? ErrorKind::transient : ErrorKind::publish,
        fmt::format("{} gave the job no identity token: HTTP {}", provider, response.status),
        "look at the permissions of the job, and at the status page of the service");
  }
  std::string token = std::string(trim(response.body));
  if (!key.empty()) {
    const auto reply = read_json(token);
    token.clear();
    const auto found = reply.is_object() ? reply.find(std::string(key)) : reply.end();
    if (found != reply.end() && found->is_string()) token = found->get<std::string>();
  }
  return as_token(Secret(std::move(token)), provider);
}

Result<Secret> as_token(Secret given, std::string_view provider) {
  const std::string& text = given.reveal();
  const bool printable = std::ranges::all_of(text, [](char c) { return c > ' ' && c <= '~'; });
  if (!text.empty() && printable) return given;
  return fail(ErrorKind::publish, fmt::format("{} answered without an identity token", provider),
              text.empty() ? "" : "a token is one word of printable ASCII and nothing else");
}

}  // namespace pinwheel::publish
