#include "host/index/github_comment.h"

#include <chrono>
#include <optional>
#include <utility>

#include "base/hidden_text.h"
#include "base/retries.h"
#include "publish/github_comment.h"
#include "publish/github_reply.h"

namespace pinwheel::host {
namespace {

constexpr int kAttempts = 3;

/// Sends a request of a comment: the body of the reply.
class CommentClient {
 public:
  CommentClient(const publish::GithubPlace& place, const Secret& token, ports::Http& http)
      : place_(place), token_(token), http_(http) {
    hidden_.add(token);
  }

  /// Kind `transient` if another attempt may help.
  Result<std::string> send(ports::HttpRequest request, std::string_view what) const {
    request.headers.emplace_back("Authorization", "Bearer " + token_.reveal());
    auto reply = http_.send(request);
    if (!reply) return fail(hidden_.mask(std::move(reply).error().error));
    const publish::Outcome outcome = publish::github_outcome(*reply);
    if (outcome == publish::Outcome::uploaded) return std::move(reply->body);
    Error error = publish::github_error(*reply, place_, what, hidden_);
    const bool may_pass =
        outcome == publish::Outcome::transient || outcome == publish::Outcome::unknown;
    if (may_pass) error.kind = ErrorKind::transient;
    return fail(std::move(error));
  }

 private:
  const publish::GithubPlace& place_;
  const Secret& token_;
  ports::Http& http_;
  HiddenText hidden_;
};

Result<std::optional<uint64_t>> find_comment(const PullRequestComment& comment,
                                             const CommentClient& client) {
  for (size_t page = 1; page <= publish::kCommentPages; ++page) {
    TRY(const std::string body,
        client.send(publish::list_comments(comment.place, comment.pull_request, page),
                    "the comments of the pull request cannot be read"));
    TRY(const publish::CommentPage found, publish::read_comments(body, comment.name));
    if (found.found) return found.found;
    if (found.comments < publish::kCommentsPerPage) break;
  }
  return std::nullopt;
}

/// One attempt. The reply to a new comment may be lost, so each attempt looks for it first.
Result<CommentChange> try_put(const PullRequestComment& comment, const CommentClient& client) {
  const std::string text = publish::marked_comment(comment.name, comment.markdown);
  TRY(const std::optional<uint64_t> known, find_comment(comment, client));
  ports::HttpRequest request =
      known ? publish::update_comment(comment.place, *known, text)
            : publish::create_comment(comment.place, comment.pull_request, text);
  TRY_DONE(client.send(std::move(request), "the comment was not written"));
  return known ? CommentChange::updated : CommentChange::created;
}

}  // namespace

Result<CommentChange> put_comment(const PullRequestComment& comment, const Secret& token,
                                  ports::Http& http) {
  const CommentClient client(comment.place, token, http);
  return with_retries(
      kAttempts, [&] { return try_put(comment, client); },
      [](const auto& result) { return !result && result.error().kind == ErrorKind::transient; },
      [&](int attempt, const auto& /*result*/) {
        http.wait(std::chrono::seconds(attempt));
        return true;
      });
}

}  // namespace pinwheel::host
