#include "host/provision/environment_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "env/environment_marker.h"
#include "host/provision/complete_directory.h"
#include "plan/step_id.h"
#include "toolkits/made_toolkit.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

constexpr const char* kToolkits = "toolkits";
constexpr const char* kImages = "images";
constexpr const char* kConda = "conda";
constexpr std::array<const char*, 3> kKinds = {"environments", kConda, kToolkits};

/// The directories with environments: the cache, and its subdirectory for each image.
Result<std::vector<fs::path>> roots(const EnvMachine& machine) {
  std::vector<fs::path> found = {fs::path()};
  TRY(const ports::FileStatus status, machine.files.status(machine.cache / kImages));
  if (status.type != ports::FileType::directory) return found;
  TRY(const std::vector<std::string> names, machine.files.list(machine.cache / kImages));
  for (const std::string& name : names) found.push_back(fs::path(kImages) / name);
  return found;
}

/// The first step that made or used it as its environment or toolkit; without one, its id as it is.
std::string step_of(const EnvironmentEntry& row) {
  std::string id = row.id;
  for (const CacheUse& use : row.uses) {
    const std::string& step = use.user.step;
    if (plan::prepares(step)) id = step;
  }
  return id;
}

Result<EnvironmentEntry> entry(const EnvMachine& machine, const fs::path& kind,
                               const std::string& id) {
  EnvironmentEntry row{.id = id, .place = (kind / id).string()};
  const fs::path directory = machine.cache / kind / id;
  row.uses = uses_of(machine.files, directory);
  if (kind.filename() != kConda) row.id = step_of(row);
  TRY(const bool complete, is_complete(machine, directory));
  if (!complete) return row;
  TRY(const std::string text, machine.files.read(directory / kCompleteMarker));
  const Result<env::EnvironmentMarker> marker = env::parse_environment_marker(text);
  if (!marker) return row;
  row.completeness = Completeness::complete;
  if (kind.filename() == kToolkits) {
    row.toolkit = toolkits::toolkit_in(id, marker->resolution);
  } else {
    row.python = marker->resolution.python;
  }
  if (const env::PipPackage* torch = marker->resolution.find("torch")) row.torch = torch->version;
  row.resolution = marker->resolution.digest();
  row.interpreter = marker->interpreter;
  row.bytes = marker->bytes;
  row.made = marker->made;
  return row;
}

Done add_rows(const EnvMachine& machine, const fs::path& kind,
              std::vector<EnvironmentEntry>& rows) {
  const fs::path root = machine.cache / kind;
  TRY(const ports::FileStatus status, machine.files.status(root));
  if (status.type == ports::FileType::missing) return {};
  TRY(const std::vector<std::string> names, machine.files.list(root));
  for (const std::string& name : names) {
    if (name.ends_with(kLockSuffix) || name.ends_with(kUsesSuffix)) continue;
    TRY(EnvironmentEntry row, entry(machine, kind, name));
    rows.push_back(std::move(row));
  }
  return {};
}

/// The ids of its steps and the name of its directory.
std::vector<std::string> names_of(const EnvironmentEntry& row) {
  std::vector<std::string> names = {fs::path(row.place).filename().string(), row.id};
  for (const CacheUse& use : row.uses) {
    const bool own = plan::prepares(use.user.step);
    if (own && row.place.find(kConda) == std::string::npos) names.push_back(use.user.step);
  }
  return names;
}

}  // namespace

Result<std::vector<EnvironmentEntry>> list_environments(const EnvMachine& machine) {
  std::vector<EnvironmentEntry> rows;
  TRY(const std::vector<fs::path> places, roots(machine));
  for (const fs::path& root : places) {
    for (const char* const kind : kKinds) TRY_DONE(add_rows(machine, root / kind, rows));
  }
  return rows;
}

std::chrono::sys_seconds last_use(const EnvironmentEntry& entry) {
  return entry.uses.empty() ? entry.made : std::max(entry.made, entry.uses.front().at);
}

Done remove_environment(const EnvMachine& machine, const std::string& id) {
  TRY(const std::vector<EnvironmentEntry> rows, list_environments(machine));
  std::vector<std::string> all;
  std::vector<std::string> exact;
  std::vector<std::string> matching;
  for (const EnvironmentEntry& row : rows) {
    const std::vector<std::string> names = names_of(row);
    all.insert(all.end(), names.begin(), names.end());
    const auto starts = [&id](const std::string& name) { return name.starts_with(id); };
    if (std::find(names.begin(), names.end(), id) != names.end()) exact.push_back(row.place);
    if (!id.empty() && std::any_of(names.begin(), names.end(), starts)) {
      matching.push_back(row.place);
    }
  }
  if (!exact.empty()) matching = std::move(exact);
  if (matching.empty() ||
      (matching.size() > 1 && std::find(all.begin(), all.end(), id) == all.end())) {
    return fail(ErrorKind::usage,
                fmt::format("{} environments have an id that starts with {}", matching.size(),
                            pinwheel::quoted(id)),
                matching.empty() ? suggest(id, all) : "pass more of the id");
  }
  for (const std::string& place : matching) {
    const fs::path directory = machine.cache / place;
    TRY(const auto lock, lock_unused(machine, directory));
    TRY_DONE(remove_directory(machine, directory));
  }
  return {};
}

}  // namespace pinwheel::host
