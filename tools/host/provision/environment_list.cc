#include "host/provision/environment_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "env/environment_marker.h"
#include "env/made_toolkit.h"
#include "host/provision/complete_directory.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

constexpr const char* kToolkits = "toolkits";
constexpr const char* kImages = "images";
constexpr std::array<const char*, 3> kKinds = {"environments", "conda", kToolkits};

/// The directories with environments: the cache, and its subdirectory for each image.
Result<std::vector<fs::path>> roots(const EnvMachine& machine) {
  std::vector<fs::path> found = {fs::path()};
  TRY(const ports::FileStatus status, machine.files.status(machine.cache / kImages));
  if (status.type != ports::FileType::directory) return found;
  TRY(const std::vector<std::string> names, machine.files.list(machine.cache / kImages));
  for (const std::string& name : names) found.push_back(fs::path(kImages) / name);
  return found;
}

Result<EnvironmentEntry> entry(const EnvMachine& machine, const fs::path& kind,
                               const std::string& id) {
  EnvironmentEntry row{.id = id, .place = (kind / id).string()};
  const fs::path directory = machine.cache / kind / id;
  row.uses = uses_of(machine.files, directory);
  TRY(const bool complete, is_complete(machine, directory));
  if (!complete) return row;
  TRY(const std::string text, machine.files.read(directory / kCompleteMarker));
  const Result<env::EnvironmentMarker> marker = env::parse_environment_marker(text);
  if (!marker) return row;
  row.completeness = Completeness::complete;
  if (kind.filename() == kToolkits) {
    row.toolkit = env::toolkit_in(id, marker->resolution);
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
  std::vector<std::string> matching;
  for (const EnvironmentEntry& row : rows) {
    all.push_back(row.id);
    if (!id.empty() && row.id.starts_with(id)) matching.push_back(row.place);
  }
  if (matching.size() != 1) {
    return fail(ErrorKind::usage,
                fmt::format("{} environments have an id that starts with {}", matching.size(),
                            pinwheel::quoted(id)),
                matching.empty() ? suggest(id, all) : "pass more of the id");
  }
  const fs::path directory = machine.cache / matching.front();
  TRY(const auto lock, lock_unused(machine, directory));
  return remove_directory(machine, directory);
}

}  // namespace pinwheel::host
