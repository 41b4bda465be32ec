#include "publish/github_place.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/github_repository.h"
#include "base/limits.h"
#include "base/mask.h"
#include "base/text.h"
#include "base/url.h"

namespace pinwheel::publish {
namespace {

constexpr std::string_view kGithubHost = "github.com";

/// The host and the path of a remote: a URL, or "git@host:path" as ssh writes it.
std::optional<UrlParts> remote_parts(std::string_view remote) {
  if (auto parts = split_url(remote); parts && !parts->host.empty()) return parts;
  const size_t colon = remote.find(':');
  if (colon == std::string_view::npos || remote.substr(0, colon).find('/') != remote.npos) {
    return std::nullopt;
  }
  const std::string_view host = remote.substr(0, colon);
  return UrlParts{"ssh", "", to_lower(host.substr(host.find('@') + 1)),  // npos + 1 is 0
                  "/" + std::string(remote.substr(colon + 1))};
}

/// "OWNER/NAME" of the path of a remote; empty for any other path.
std::string repository_in(std::string_view path) {
  path = without_trailing_slashes(path);
  if (path.ends_with(".git")) path.remove_suffix(4);
  while (path.starts_with('/')) path.remove_prefix(1);
  return is_owner_and_name(path) ? std::string(path) : std::string();
}

}  // namespace

std::string github_repository(const std::map<std::string, std::string>& variables,
                              std::string_view remote) {
  std::string job = repository_in(value_at(variables, "GITHUB_REPOSITORY"));
  if (!job.empty()) return job;
  const std::optional<UrlParts> parts = remote_parts(remote);
  if (!parts) return {};
  const std::string host = parts->host.substr(0, parts->host.find(':'));
  const std::optional<UrlParts> server = split_url(value_at(variables, "GITHUB_SERVER_URL"));
  if (host != kGithubHost && (!server || parts->host != server->host)) return {};
  return repository_in(parts->path);
}

Result<GithubPlace> github_place(const std::string& target, const std::string& api,
                                 const std::string& repository,
                                 const std::map<std::string, std::string>& variables) {
  if (repository.empty()) {
    return fail(ErrorKind::config,
                fmt::format("the repository of target {} is not known", quoted(target)),
                "add `repository: OWNER/NAME` to the target, or a remote `origin` on GitHub");
  }
  std::string url = api.empty() ? value_at(variables, "GITHUB_API_URL") : api;
  if (url.empty()) url = kGithubApi;
  url = without_trailing_slashes(url);
  const std::optional<UrlParts> parts = split_url(url);
  const bool known = parts && (parts->scheme == "https" || parts->scheme == "http");
  if (!known || parts->host.empty() || url.find_first_of("?#") != std::string::npos) {
    return fail(ErrorKind::usage, fmt::format("{} is not the URL of an API", quoted_url(url)),
                "use a URL that starts with https://");
  }
  if (!parts->userinfo.empty()) {
    return fail(ErrorKind::usage,
                fmt::format("the URL of {} contains credentials", quoted(parts->host)),
                "remove them from the URL; the token comes from a variable");
  }
  return GithubPlace{target, url, repository};
}

std::string github_url(const GithubPlace& place, std::string_view part) {
  return fmt::format("{}/repos/{}{}{}", place.api, place.repository, part.empty() ? "" : "/", part);
}

ports::HttpRequest github_request(std::string method, std::string url) {
  ports::HttpRequest request;
  request.method = std::move(method);
  request.url = std::move(url);
  request.headers = {{"Accept", "application/vnd.github+json"},
                     {"X-GitHub-Api-Version", "2022-11-28"}};
  request.body_limit = limits::kGithubReply;
  return request;
}

Result<std::string> github_upload_url(const GithubPlace& place, std::string_view stated) {
  std::string url(stated.substr(0, stated.find('{')));
  const std::optional<UrlParts> there = split_url(url);
  const std::optional<UrlParts> api = split_url(place.api);
  if (there && api && there->userinfo.empty() && there->scheme == api->scheme) {
    const bool named_api = api->host.starts_with("api.");
    const std::string uploads = "uploads." + (named_api ? api->host.substr(4) : api->host);
    if (there->host == api->host || there->host == uploads) return url;
  }
  return fail(ErrorKind::publish,
              fmt::format("the release has an upload URL on another server than {}: {}",
                          quoted(place.api), quoted_url(url)),
              "no token is sent there; check the `api` of the target");
}

}  // namespace pinwheel::publish
