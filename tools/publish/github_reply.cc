#include "publish/github_reply.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/digest.h"
#include "base/json.h"
#include "base/parse_integer.h"
#include "base/text.h"
#include "base/url.h"
#include "base/visible_text.h"
#include "publish/credential_variable.h"

namespace pinwheel::publish {
namespace {

using GithubJson = nlohmann::json;

constexpr int kUnauthorized = 401;
constexpr int kForbidden = 403;
constexpr int kMissing = 404;
constexpr int kUnprocessable = 422;
constexpr size_t kSha256Digits = 64;
constexpr size_t kCommitDigits = 40;

Error malformed(std::string_view what) {
  return {ErrorKind::publish,
          fmt::format("the reply of GitHub is no {}", what),
          std::nullopt,
          "check the `api` of the target",
          {}};
}

std::string text_in(const GithubJson& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::optional<uint64_t> number_in(const GithubJson& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number_unsigned()) return std::nullopt;
  return found->get<uint64_t>();
}

std::optional<bool> truth_in(const GithubJson& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_boolean()) return std::nullopt;
  return found->get<bool>();
}

Result<GithubRelease> release_of(const GithubJson& json) {
  if (!json.is_object()) return fail(malformed("release"));
  const std::optional<uint64_t> id = number_in(json, "id");
  const std::optional<bool> draft = truth_in(json, "draft");
  GithubRelease release{id.value_or(0),
                        text_in(json, "tag_name"),
                        draft.value_or(false),
                        truth_in(json, "immutable").value_or(false),
                        text_in(json, "upload_url"),
                        text_in(json, "html_url"),
                        text_in(json, "target_commitish"),
                        text_in(json, "published_at")};
  if (!id || !draft || release.upload_url.empty()) return fail(malformed("release"));
  return release;
}

/// A URL that a page can link to; empty for anything else.
std::string link_in(const GithubJson& json, const char* member) {
  const std::string url = text_in(json, member);
  const std::optional<UrlParts> parts = is_address(url) ? split_url(url) : std::nullopt;
  const bool plain = url.find_first_of(" \t\r\n\"'<>`\\#?") == std::string::npos;
  return parts && parts->userinfo.empty() && plain && visible(url) == url ? url : std::string();
}

Result<GithubAsset> asset_of(const GithubJson& json) {
  if (!json.is_object()) return fail(malformed("asset of a release"));
  const std::optional<uint64_t> id = number_in(json, "id");
  const std::optional<uint64_t> size = number_in(json, "size");
  GithubAsset asset{id.value_or(0), text_in(json, "name"), size.value_or(0)};
  if (!id || !size || asset.name.empty()) return fail(malformed("asset of a release"));
  asset.complete = text_in(json, "state") == "uploaded";
  asset.url = link_in(json, "browser_download_url");
  constexpr std::string_view kSha256 = "sha256:";
  const std::string digest = to_lower(text_in(json, "digest"));
  if (digest.starts_with(kSha256)) asset.sha256 = digest.substr(kSha256.size());
  if (!is_hex(asset.sha256) || asset.sha256.size() != kSha256Digits) asset.sha256.clear();
  return asset;
}

/// A list, each element read by `read`.
template <class T, class Read>
Result<std::vector<T>> list_of(std::string_view body, std::string_view what, const Read& read) {
  const GithubJson json = read_json(body);
  if (!json.is_array()) return fail(malformed(what));
  std::vector<T> list;
  for (const GithubJson& each : json) {
    TRY(T element, read(each));
    list.push_back(std::move(element));
  }
  return list;
}

/// "tag_name already_exists", from the list `errors` of a reply.
std::string details_in(std::string_view body) {
  const GithubJson json = read_json(body);
  if (!json.is_object()) return {};
  const auto errors = json.find("errors");
  if (errors == json.end() || !errors->is_array()) return {};
  std::vector<std::string> texts;
  constexpr size_t kMost = 5;
  for (const GithubJson& each : *errors) {
    if (!each.is_object() || texts.size() == kMost) continue;
    std::string text = text_in(each, "message");
    if (text.empty()) text = fmt::format("{} {}", text_in(each, "field"), text_in(each, "code"));
    texts.emplace_back(trim(text));
  }
  return join(texts, ", ");
}

bool is_rate_limited(const ports::HttpResponse& response) {
  return parse_unsigned(header(response, "x-ratelimit-remaining")) == 0U ||
         retry_after(response).has_value();
}

/// The hint for a token that GitHub rejects, or that may not write.
std::string write_hint(const GithubPlace& place) {
  return fmt::format(
      "check the token: it needs permission to write the contents of {} (in a workflow, "
      "`permissions: {{contents: write}}`); {}, --token-file, GH_TOKEN and GITHUB_TOKEN are read "
      "in "
      "that order",
      quoted(place.repository), credential_variable("PINWHEEL_TOKEN_", place.target));
}

}  // namespace

Result<GithubRelease> read_github_release(std::string_view body) {
  return release_of(read_json(body));
}

Result<std::vector<GithubRelease>> read_github_releases(std::string_view body) {
  return list_of<GithubRelease>(body, "list of releases", release_of);
}

Result<GithubAsset> read_github_asset(std::string_view body) {
  return asset_of(read_json(body));
}

Result<std::vector<GithubAsset>> read_github_assets(std::string_view body) {
  return list_of<GithubAsset>(body, "list of assets", asset_of);
}

Result<GithubObject> read_github_object(std::string_view body) {
  const GithubJson json = read_json(body);
  const auto object = json.is_object() ? json.find("object") : json.end();
  if (!json.is_object() || object == json.end() || !object->is_object()) {
    return fail(malformed("reference"));
  }
  GithubObject found{text_in(*object, "sha"), text_in(*object, "type") == "tag"};
  if (!is_hex(found.sha) || found.sha.size() < kCommitDigits) return fail(malformed("reference"));
  return found;
}

Result<std::optional<bool>> read_github_permission(std::string_view body) {
  const GithubJson json = read_json(body);
  if (!json.is_object() || !number_in(json, "id")) return fail(malformed("repository"));
  const auto permissions = json.find("permissions");
  if (permissions == json.end() || !permissions->is_object()) return std::nullopt;
  return truth_in(*permissions, "push");
}

Outcome github_outcome(const ports::HttpResponse& response) {
  constexpr int kSuccess = 200;
  constexpr int kFurther = 300;
  if (response.status >= kSuccess && response.status < kFurther) return Outcome::uploaded;
  if (response.status == kForbidden && is_rate_limited(response)) return Outcome::transient;
  if (response.status == kUnprocessable) return Outcome::refused;
  return outcome_of_status(response.status);
}

std::optional<std::chrono::milliseconds> github_wait(const ports::HttpResponse& response,
                                                     std::chrono::system_clock::time_point now) {
  if (const auto asked = retry_after(response)) return asked;
  const std::optional<uint64_t> reset = parse_unsigned(header(response, "x-ratelimit-reset"));
  constexpr uint64_t kFarthest = uint64_t{1} << 33U;  // in the year 2242
  if (!reset || *reset > kFarthest || !is_rate_limited(response)) return std::nullopt;
  const std::chrono::system_clock::time_point end{std::chrono::seconds(*reset)};
  if (end <= now) return std::nullopt;
  return std::chrono::duration_cast<std::chrono::milliseconds>(end - now);
}

Error no_write_permission(const GithubPlace& place) {
  return Error{ErrorKind::publish, fmt::format("the token for {} may not write to {}",
                                               quoted(place.target), quoted(place.repository))}
      .with_hint(write_hint(place));
}

Error github_error(const ports::HttpResponse& response, const GithubPlace& place,
                   std::string_view what, const HiddenText& hidden) {
  std::string said = server_message(response, hidden);
  const std::string details = short_line(details_in(response.body), hidden);
  if (!details.empty()) said += (said.empty() ? "" : ": ") + details;
  Error error{ErrorKind::publish, fmt::format("{} on {}: {}: HTTP {}", quoted(place.repository),
                                              quoted(place.target), what, response.status)};
  if (!said.empty()) error.message += fmt::format(" ({})", said);
  if (is_rate_limited(response)) {
    error.hint =
        "GitHub limits the requests of this token: run the same command again later; "
        "files that arrived are recognized by their digest";
  } else if (response.status == kUnauthorized || response.status == kForbidden) {
    error.hint = write_hint(place);
  } else if (response.status == kMissing) {
    error.hint = "GitHub also answers this for a token without permission; " + write_hint(place);
  } else if (is_redirect(response.status)) {
    error.hint = "the repository has moved: write its new name, `repository: OWNER/NAME`";
  }
  return error;
}

}  // namespace pinwheel::publish
