#pragma once
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "ports/http.h"

namespace pinwheel::publish {

/// GitHub's own API, unless a matrix or a job names another.
inline constexpr std::string_view kGithubApi = "https://api.github.com";

/// A repository whose releases are published through an API.
struct GithubPlace {
  std::string target;      ///< the name in the matrix, for messages
  std::string api;         ///< without a slash at the end
  std::string repository;  ///< "OWNER/NAME"

  bool operator==(const GithubPlace&) const = default;
};

/// The repository of a run: that of the job (`GITHUB_REPOSITORY`), else that of the remote URL if
/// it is on github.com or on the server of the job. Empty if neither is known.
std::string github_repository(const std::map<std::string, std::string>& variables,
                              std::string_view remote);

/// The place of a target. `api` is that of the matrix; empty: that of the job (`GITHUB_API_URL`),
/// else `kGithubApi`. Kind `config` without a repository, `usage` for an API that is not a URL or
/// contains credentials.
Result<GithubPlace> github_place(const std::string& target, const std::string& api,
                                 const std::string& repository,
                                 const std::map<std::string, std::string>& variables);

/// The URL of a part of the repository in the API: "releases/7".
std::string github_url(const GithubPlace& place, std::string_view part);

/// A request to the API, without a token. Its reply is at most `limits::kGithubReply`.
ports::HttpRequest github_request(std::string method, std::string url);

/// The upload URL of a release, without its template. Kind `publish` unless it is on the host of
/// the API or on its `uploads.` host, with the same scheme: the token is sent there.
Result<std::string> github_upload_url(const GithubPlace& place, std::string_view stated);

}  // namespace pinwheel::publish
