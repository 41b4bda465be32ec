#include "publish/yank.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "base/text.h"
#include "base/visible_text.h"
#include "publish/index_file.h"

namespace pinwheel::publish {

namespace {

constexpr size_t kLongestReason = 500;

/// The versions of a project in the index, for a message.
std::string versions_text(const Catalog& catalog, const std::string& project) {
  std::set<pep::Version> versions;
  for (const auto& [place, projects] : catalog.places) {
    const auto files = projects.find(project);
    if (files == projects.end()) continue;
    for (const auto& [filename, file] : files->second) {
      if (const auto version = version_of_file(filename)) versions.insert(*version);
    }
  }
  std::vector<std::string> newest;
  constexpr size_t kShown = 5;
  for (auto version = versions.rbegin(); version != versions.rend(); ++version) {
    if (newest.size() == kShown) break;
    newest.push_back(pep::to_string(*version));
  }
  if (newest.empty()) return "it has no file of that project";
  return fmt::format("its newest versions are {}", quoted_list(newest));
}

}  // namespace

Result<Yanking> yank(Catalog catalog, const YankRequest& request) {
  std::map<std::string, bool> changed;
  for (auto& [place, projects] : catalog.places) {
    const auto listed = projects.find(request.version.project);
    if (listed == projects.end()) continue;
    for (auto& [filename, file] : listed->second) {
      const auto version = version_of_file(filename);
      if (!version || !is_pinned_by(*version, request.version)) continue;
      std::optional<std::string> status;
      if (request.change == YankChange::yank) {
        status = request.reason ? *request.reason : file.yanked.value_or("");
      }
      changed[filename] |= file.yanked != status;
      file.yanked = std::move(status);
    }
  }
  if (changed.empty()) {
    return fail(ErrorKind::nothing_selected,
                fmt::format("the index has no file of {}", quoted(to_string(request.version))),
                versions_text(catalog, request.version.project));
  }
  Yanking result{std::move(catalog), {}};
  for (const auto& [filename, is_changed] : changed) result.files.push_back({filename, is_changed});
  return result;
}

Done check_yank_reason(const std::string& reason) {
  if (reason.size() > kLongestReason) {
    return fail(
        ErrorKind::usage,
        fmt::format("the reason has {} characters, the limit is {}", reason.size(), kLongestReason),
        "write one short line, and refer to an issue for the rest");
  }
  if (visible(reason) == reason) return {};
  return fail(ErrorKind::usage,
              fmt::format("the reason {} is not one line of text", quoted(reason)),
              "installers print it: leave out line breaks and control characters");
}

}  // namespace pinwheel::publish
