#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/secret.h"
#include "ports/http.h"
#include "publish/github_place.h"

namespace pinwheel::host {

/// A comment of a pull request, of which there is one for each name.
struct PullRequestComment {
  publish::GithubPlace place;
  uint64_t pull_request = 0;
  std::string name;      ///< "compare-ops"
  std::string markdown;  ///< without its marker
};

enum class CommentChange { created, updated };

/// Writes the comment, or updates the one of that name. The token is sent only to the server of the
/// API, and no error contains it. Kind `publish` if GitHub forbids it, `transient` without an
/// answer.
Result<CommentChange> put_comment(const PullRequestComment& comment, const Secret& token,
                                  ports::Http& http);

}  // namespace pinwheel::host
