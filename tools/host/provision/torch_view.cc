#include "host/provision/torch_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "base/text.h"
#include "host/system/open_regular.h"
#include "pep/marker.h"
#include "pep/name.h"
#include "pep/requirement.h"
#include "wheel/metadata.h"
#include "wheel/record.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

/// An installed distribution, from its `.dist-info` directory.
struct InstalledDistribution {
  std::vector<std::string> requirements = {};  ///< `Requires-Dist` of METADATA
  std::vector<std::string> entries = {};       ///< its top-level names in site-packages
};

std::string text_of(const fs::path& path) {
  return read_regular_file(path, limits::kRecord).value_or(std::string());
}

/// Directories of byte code and parents belong to no distribution.
bool is_entry(const std::string& name) {
  return !name.empty() && name != ".." && name != "__pycache__" && !name.starts_with('/');
}

std::vector<std::string> entries_of(const std::string& record) {
  std::set<std::string> entries;
  const Result<std::vector<wheel::RecordRow>> rows = wheel::parse_record(record);
  if (!rows) return {};
  for (const wheel::RecordRow& row : *rows) {
    const std::string top = row.path.substr(0, row.path.find('/'));
    if (is_entry(top)) entries.insert(top);
  }
  return {entries.begin(), entries.end()};
}

std::map<std::string, InstalledDistribution> installed_in(const fs::path& site_packages) {
  std::map<std::string, InstalledDistribution> installed;
  std::error_code error;
  for (const fs::directory_entry& each : fs::directory_iterator(site_packages, error)) {
    if (each.path().extension() != ".dist-info") continue;
    const Result<wheel::Metadata> metadata =
        wheel::parse_metadata(text_of(each.path() / "METADATA"));
    if (!metadata) continue;
    InstalledDistribution& found = installed[pep::normalize_name(metadata->name())];
    found = {metadata->requires_dist(), entries_of(text_of(each.path() / "RECORD"))};
    found.entries.push_back(each.path().filename().string());
  }
  return installed;
}

pep::MarkerEnvironment markers_of(const env::Interpreter& interpreter) {
  const std::vector<std::string> parts = split(interpreter.version, '.');
  const std::string minor = parts.size() > 1 ? parts[0] + "." + parts[1] : interpreter.version;
  const std::string& platform = interpreter.platform;
  return {{"python_version", minor},
          {"python_full_version", interpreter.version},
          {"implementation_name", "cpython"},
          {"platform_python_implementation", "CPython"},
          {"os_name", "posix"},
          {"sys_platform", "linux"},
          {"platform_system", "Linux"},
          {"platform_machine", platform.substr(platform.find('-') + 1)}};
}

bool counts(const pep::Requirement& requirement, const pep::MarkerEnvironment& environment) {
  return requirement.marker.empty() ||
         pep::evaluate_marker(requirement.marker, environment).value_or(false);
}

/// The distributions that torch requires, directly or not, and torch, by normalized name. Empty
/// without a torch. Requirements of extras, and those whose marker does not hold, do not count.
std::vector<std::string> torch_closure(
    const std::map<std::string, InstalledDistribution>& installed,
    const pep::MarkerEnvironment& environment) {
  std::set<std::string> closure;
  std::vector<std::string> waiting = {"torch"};
  while (!waiting.empty()) {
    const std::string name = std::move(waiting.back());
    waiting.pop_back();
    const auto found = installed.find(name);
    if (found == installed.end() || !closure.insert(name).second) continue;
    for (const std::string& text : found->second.requirements) {
      const Result<pep::Requirement> requirement = pep::parse_requirement(text);
      if (!requirement || !counts(*requirement, environment)) continue;
      waiting.push_back(pep::normalize_name(requirement->name));
    }
  }
  return {closure.begin(), closure.end()};
}

}  // namespace

Result<fs::path> link_torch(const fs::path& site_packages, const env::Interpreter& interpreter,
                            const fs::path& directory) {
  const std::map<std::string, InstalledDistribution> installed = installed_in(site_packages);
  const std::vector<std::string> closure = torch_closure(installed, markers_of(interpreter));
  if (closure.empty()) return site_packages;
  std::error_code error;
  fs::create_directories(directory, error);
  for (const std::string& name : closure) {
    for (const std::string& entry : installed.at(name).entries) {
      // Namespace packages are in several distributions.
      if (error || fs::is_symlink(directory / entry)) continue;
      fs::create_symlink(site_packages / entry, directory / entry, error);
    }
  }
  if (!error) return directory;
  return fail(
      ErrorKind::environment,
      fmt::format("cannot link torch in {}: {}", quoted(directory.string()), error.message()),
      "free space on that disk, or set `PINWHEEL_CACHE_DIR`");
}

}  // namespace pinwheel::host
