#include "publish/release_status.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "base/text.h"
#include "pep/version.h"

namespace pinwheel::publish {
namespace {

std::string_view to_string(FileState state) {
  switch (state) {
    case FileState::published:
      return "published";
    case FileState::listed:
      return "listed, without a hash";
    case FileState::missing:
      return "missing";
    case FileState::different:
      return "other bytes";
    case FileState::not_built:
      return "not built";
    case FileState::unknown:
      return "unknown";
  }
  return {};
}

FileState state_on(const std::vector<IndexFile>& page, const ExpectedFile& file) {
  for (const IndexFile& held : page) {
    if (held.filename != file.filename) continue;
    const auto found = held.hashes.find("sha256");
    if (found == held.hashes.end()) return FileState::listed;
    return found->second == file.sha256 ? FileState::published : FileState::different;
  }
  return FileState::missing;
}

/// The version and the build tag of a file; no version for files that describe others.
using Cut = std::pair<std::optional<pep::Version>, std::optional<pep::BuildTag>>;

Cut cut_of(const std::string& filename) {
  return {version_of_file(filename), build_of_file(filename)};
}

size_t count(const ReleaseStatus& status, FileState state) {
  return static_cast<size_t>(std::ranges::count(status.files, state, &ReleaseFile::state));
}

}  // namespace

std::vector<ReleaseFile> compare_with_page(const std::vector<ExpectedFile>& expected,
                                           const Result<std::vector<IndexFile>>& page) {
  std::vector<ReleaseFile> compared;
  for (const ExpectedFile& file : expected) {
    FileState state = FileState::unknown;
    if (file.filename.empty()) {
      state = FileState::not_built;
    } else if (page) {
      state = state_on(*page, file);
    }
    compared.push_back({file, state});
  }
  return compared;
}

std::vector<IndexFile> released_files(const GithubState& state) {
  std::vector<IndexFile> files;
  if (!state.release || state.release->draft) return files;
  for (const GithubAsset& asset : state.assets) {
    if (!asset.complete) continue;
    IndexFile file;
    file.filename = asset.name;
    file.size = asset.size;
    if (!asset.sha256.empty()) file.hashes = {{"sha256", asset.sha256}};
    files.push_back(std::move(file));
  }
  return files;
}

std::vector<std::string> unplanned_files(const std::vector<ExpectedFile>& expected,
                                         const std::vector<IndexFile>& page) {
  std::set<std::string> names;
  std::set<Cut> cuts;
  for (const ExpectedFile& file : expected) {
    if (file.filename.empty()) return {};
    names.insert(file.filename);
    cuts.insert(cut_of(file.filename));
  }
  std::vector<std::string> unplanned;
  for (const IndexFile& held : page) {
    const Cut cut = cut_of(held.filename);
    if (!cut.first || !cuts.contains(cut) || names.contains(held.filename)) continue;
    unplanned.push_back(held.filename);
  }
  std::sort(unplanned.begin(), unplanned.end());
  return unplanned;
}

Remedy remedy_of(const ReleaseStatus& status) {
  if (!status.conflicts.empty() || count(status, FileState::different) > 0) {
    return Remedy::another_version;
  }
  if (!status.unpublished.empty()) return Remedy::first_cut;
  const bool lacks = !status.missing_steps.empty() || count(status, FileState::missing) > 0 ||
                     count(status, FileState::not_built) > 0;
  if (lacks) return Remedy::release;
  if (!status.unreadable.empty()) return Remedy::ask_again;
  return status.wanted_tag.empty() ? Remedy::none : Remedy::tag;
}

std::vector<std::vector<std::string>> status_rows(const ReleaseStatus& status) {
  std::vector<std::vector<std::string>> rows = {{"target", "file", "state"}};
  for (const ReleaseFile& file : status.files) {
    const std::string& name = file.expected.filename;
    rows.push_back({file.expected.target, name.empty() ? file.expected.build : name,
                    std::string(to_string(file.state))});
  }
  for (const std::string& step : status.missing_steps) rows.push_back({"", step, "no result"});
  return rows;
}

nlohmann::json status_json(const ReleaseStatus& status) {
  nlohmann::json files = nlohmann::json::array();
  for (const ReleaseFile& file : status.files) {
    files.push_back({{"target", file.expected.target},
                     {"project", file.expected.project},
                     {"step", file.expected.build},
                     {"file", file.expected.filename},
                     {"sha256", file.expected.sha256},
                     {"state", to_string(file.state)}});
  }
  std::vector<std::string> conflicts;
  conflicts.reserve(status.conflicts.size());
  for (const Error& conflict : status.conflicts) conflicts.push_back(conflict.message);
  for (const Error& fault : status.unpublished) conflicts.push_back(fault.message);
  nlohmann::json json = {{"schema", "pinwheel-status/1"},
                         {"version", status.version},
                         {"complete", remedy_of(status) == Remedy::none},
                         {"tag", status.tag},
                         {"missing-steps", status.missing_steps},
                         {"files", std::move(files)},
                         {"unplanned", status.unplanned},
                         {"conflicts", std::move(conflicts)}};
  if (status.build > 0) json["build-number"] = status.build;
  return json;
}

std::string release_name(const ReleaseStatus& status) {
  return status.build == 0 ? status.version
                           : fmt::format("{} build {}", status.version, status.build);
}

std::string status_sentence(const ReleaseStatus& status) {
  std::vector<std::string> reasons;
  const auto add = [&](FileState state, std::string_view what) {
    const size_t found = count(status, state);
    if (found == 0) return;
    reasons.push_back(fmt::format("{} of {} {}", found, plural(status.files.size(), "file"), what));
  };
  add(FileState::different, "differ from those of the index");
  add(FileState::not_built, "not built");
  add(FileState::missing, "missing");
  add(FileState::unknown, "unknown");
  if (!status.missing_steps.empty()) {
    reasons.push_back(plural(status.missing_steps.size(), "step") + " without a result");
  }
  if (!status.conflicts.empty()) reasons.emplace_back("its tag is at another commit");
  if (!status.unpublished.empty()) reasons.emplace_back("its version is not published");
  if (reasons.empty() && !status.wanted_tag.empty()) reasons.emplace_back("no tag on HEAD");
  return fmt::format("release {} is incomplete: {}", release_name(status), join(reasons, ", "));
}

}  // namespace pinwheel::publish
