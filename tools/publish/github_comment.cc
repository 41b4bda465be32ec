#include "publish/github_comment.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/json.h"
#include "base/limits.h"
#include "base/parse_integer.h"
#include "base/text.h"

namespace pinwheel::publish {
namespace {

std::string comment_marker(std::string_view name) {
  std::string plain(name);
  std::replace_if(
      plain.begin(), plain.end(),
      [](char c) {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        return !letter && !(c >= '0' && c <= '9') && c != '.' && c != '_';
      },
      '-');
  // Two hyphens could end the HTML comment.
  while (plain.find("--") != std::string::npos) plain = replace_all(plain, "--", "-");
  return fmt::format("<!-- pinwheel: {} -->", plain);
}

ports::HttpRequest with_text(ports::HttpRequest request, std::string_view text) {
  request.headers.emplace_back("Content-Type", "application/json");
  const nlohmann::json body = {{"body", text}};
  request.body = body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return request;
}

}  // namespace

std::optional<uint64_t> pull_request_number(const std::map<std::string, std::string>& variables) {
  const auto ref = variables.find("GITHUB_REF");
  if (ref == variables.end()) return std::nullopt;
  const std::vector<std::string> parts = split(ref->second, '/');
  if (parts.size() != 4 || parts[0] != "refs" || parts[1] != "pull") return std::nullopt;
  return parse_unsigned(parts[2]);
}

std::string marked_comment(std::string_view name, std::string_view markdown) {
  return fmt::format("{}\n{}", comment_marker(name), markdown);
}

Result<CommentPage> read_comments(std::string_view body, std::string_view name) {
  const std::string marker = comment_marker(name);
  const nlohmann::json json = read_json(body);
  if (!json.is_array()) {
    return fail(ErrorKind::publish, "the reply of GitHub is not a list of comments");
  }
  CommentPage page;
  page.comments = json.size();
  for (const nlohmann::json& each : json) {
    const bool complete = each.is_object() && each.contains("id") &&
                          each["id"].is_number_unsigned() && each.contains("body") &&
                          each["body"].is_string() && each.contains("user") &&
                          each["user"].is_object();
    if (!complete) continue;
    const bool marked = each["body"].get_ref<const std::string&>().starts_with(marker);
    const bool of_bot = each["user"].value("type", nlohmann::json()) == "Bot";
    if (marked && of_bot && !page.found) page.found = each["id"].get<uint64_t>();
  }
  return page;
}

ports::HttpRequest list_comments(const GithubPlace& place, uint64_t pull_request, size_t page) {
  return github_request(
      "GET", github_url(place, fmt::format("issues/{}/comments?per_page={}&page={}", pull_request,
                                           kCommentsPerPage, page)));
}

ports::HttpRequest create_comment(const GithubPlace& place, uint64_t pull_request,
                                  std::string_view text) {
  return with_text(
      github_request("POST", github_url(place, fmt::format("issues/{}/comments", pull_request))),
      text);
}

ports::HttpRequest update_comment(const GithubPlace& place, uint64_t comment,
                                  std::string_view text) {
  return with_text(
      github_request("PATCH", github_url(place, fmt::format("issues/comments/{}", comment))), text);
}

}  // namespace pinwheel::publish
