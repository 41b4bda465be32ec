#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "ports/http.h"
#include "publish/github_place.h"

// One comment of a pull request on GitHub, which is found again by a marker and updated.
namespace pinwheel::publish {

/// The number of the pull request of this job, from `GITHUB_REF` ("refs/pull/12/merge"); nullopt in
/// a job of anything else.
std::optional<uint64_t> pull_request_number(const std::map<std::string, std::string>& variables);

/// The comment of that name with its marker, which a reader of the page does not see:
/// "compare-ops". A name has only letters, digits, `.`, `_` and `-`; anything else becomes `-`.
std::string marked_comment(std::string_view name, std::string_view markdown);

inline constexpr size_t kCommentsPerPage = 100;
/// Later comments of a pull request are not read.
inline constexpr size_t kCommentPages = 20;

/// A page of comments, searched for a marker.
struct CommentPage {
  size_t comments = 0;
  std::optional<uint64_t> found = std::nullopt;  ///< the id of the first marked one
};
/// Finds the comment of that name on a page of comments. Only those of a bot count, because anyone
/// can write the marker into a comment. Kind `publish` for a reply that is not a list of comments.
Result<CommentPage> read_comments(std::string_view body, std::string_view name);

// The requests, without the token.

ports::HttpRequest list_comments(const GithubPlace& place, uint64_t pull_request, size_t page);
ports::HttpRequest create_comment(const GithubPlace& place, uint64_t pull_request,
                                  std::string_view text);
ports::HttpRequest update_comment(const GithubPlace& place, uint64_t comment,
                                  std::string_view text);

}  // namespace pinwheel::publish
