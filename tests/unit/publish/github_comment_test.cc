#include "publish/github_comment.h"

#include "unit/catch.h"

namespace pinwheel::publish {
namespace {

std::string comment(int id, const std::string& type, const std::string& body) {
  return R"({"id": )" + std::to_string(id) + R"(, "user": {"type": ")" + type + R"("}, "body": ")" +
         body + R"("})";
}

TEST_CASE("the pull request of a job is in its ref") {
  CHECK(pull_request_number({{"GITHUB_REF", "refs/pull/12/merge"}}) == 12U);
  for (const char* const ref : {"refs/heads/main", "refs/pull/x/merge", "refs/pull/12", ""}) {
    CHECK(!pull_request_number({{"GITHUB_REF", ref}}));
  }
  CHECK(!pull_request_number({}));
}

TEST_CASE("a comment is found by its marker, if a bot wrote it") {
  const std::string mark = "<!-- pinwheel: compare-ops -->";
  CHECK(marked_comment("compare-ops", "text") == mark + "\ntext");
  const std::string page = "[" + comment(1, "User", mark) + "," + comment(2, "Bot", "see " + mark) +
                           "," + comment(3, "Bot", mark + " old") + "," + comment(4, "Bot", mark) +
                           ",{}]";
  const auto found = read_comments(page, "compare-ops");
  REQUIRE(found);
  CHECK(found->comments == 5);
  CHECK(found->found == 3U);
  CHECK(!read_comments(page, "other")->found);
  CHECK(!read_comments("{}", "compare-ops"));
  CHECK(!read_comments("<html>", "compare-ops"));
}

TEST_CASE("a name cannot end the marker") {
  CHECK(marked_comment("a --> <b>--", "") == "<!-- pinwheel: a-b- -->\n");
}

TEST_CASE("comments are read, written and changed through the issues of a repository") {
  const GithubPlace place{"github", "https://api.example.org", "acme/ops"};
  CHECK(list_comments(place, 12, 2).url ==
        "https://api.example.org/repos/acme/ops/issues/12/comments?per_page=100&page=2");
  const ports::HttpRequest created = create_comment(place, 12, "a \"b\"");
  CHECK(created.method == "POST");
  CHECK(created.body == R"({"body":"a \"b\""})");
  const ports::HttpRequest updated = update_comment(place, 7, "x");
  CHECK(updated.method == "PATCH");
  CHECK(updated.url == "https://api.example.org/repos/acme/ops/issues/comments/7");
}

}  // namespace
}  // namespace pinwheel::publish
