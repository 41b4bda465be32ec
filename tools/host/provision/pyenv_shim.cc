#include "host/provision/pyenv_shim.h"

#include <algorithm>
#include <sstream>
#include <vector>

#include "base/text.h"
#include "env/newer_name.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

/// Also of a link to a directory.
bool is_directory(ports::Files& files, const fs::path& path) {
  const Result<ports::FileStatus> status = files.status(path / ".");
  return status && status->type == ports::FileType::directory;
}

bool is_file(ports::Files& files, const fs::path& path) {
  const Result<ports::FileStatus> status = files.status(path);
  return status && status->type != ports::FileType::missing &&
         status->type != ports::FileType::directory;
}

/// The first word of each line that is no comment.
std::vector<std::string> versions_in(ports::Files& files, const fs::path& file) {
  std::vector<std::string> versions;
  if (!is_file(files, file)) return versions;
  std::istringstream lines(files.read(file).value_or(std::string()));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string version;
    if (words >> version && !version.starts_with('#')) versions.push_back(version);
  }
  return versions;
}

/// Of the first `.python-version` in the directory or above it.
std::vector<std::string> local_versions(ports::Files& files, fs::path directory) {
  for (;; directory = directory.parent_path()) {
    const fs::path file = directory / ".python-version";
    if (is_file(files, file)) return versions_in(files, file);
    if (!directory.has_relative_path()) return {};
  }
}

std::vector<std::string> selected_versions(ports::Files& files,
                                           const std::map<std::string, std::string>& variables,
                                           const fs::path& root, const fs::path& directory) {
  const std::string named = value_at(variables, "PYENV_VERSION");
  if (!named.empty()) return split(named, ':');
  const std::string own = value_at(variables, "PYENV_DIR");
  std::vector<std::string> versions;
  if (!own.empty()) versions = local_versions(files, own);
  if (versions.empty()) versions = local_versions(files, directory);
  return versions.empty() ? versions_in(files, root / "version") : versions;
}

/// Whether `name` is a release of the version "3.11", "3.13t" for a free-threaded one.
bool is_release_of(std::string_view name, std::string_view version) {
  const bool free_threaded = version.ends_with('t');
  if (free_threaded != name.ends_with('t')) return false;
  if (free_threaded) {
    version.remove_suffix(1);
    name.remove_suffix(1);
  }
  if (!name.starts_with(version) || !name.substr(version.size()).starts_with('.')) return false;
  return std::all_of(name.begin(), name.end(), [](char c) { return is_digit(c) || c == '.'; });
}

/// The directory of a version; empty if it is not installed, and for `system`.
fs::path prefix_of(ports::Files& files, const fs::path& root, std::string version) {
  // A version that leaves the directory is ignored, as pyenv does since CVE-2022-35861.
  if (version.empty() || version == ".." || version.find('/') != std::string::npos) return {};
  const fs::path all = root / "versions";
  if (is_directory(files, all / version)) return all / version;
  if (version.starts_with("python-")) version.erase(0, std::string_view("python-").size());
  if (is_directory(files, all / version)) return all / version;
  std::vector<std::string> names = files.list(all).value_or(std::vector<std::string>());
  std::erase_if(names, [&](const std::string& name) { return !is_release_of(name, version); });
  if (names.empty()) return {};
  return all / *std::min_element(names.begin(), names.end(), env::is_newer_name);
}

}  // namespace

bool has_pyenv_shims(ports::Files& files, const fs::path& directory) {
  return directory.filename() == "shims" &&
         is_directory(files, directory.parent_path() / "versions");
}

std::optional<fs::path> behind_pyenv_shim(ports::Files& files,
                                          const std::map<std::string, std::string>& variables,
                                          const fs::path& shim, const fs::path& directory) {
  const fs::path root = shim.parent_path().parent_path();
  for (const std::string& version : selected_versions(files, variables, root, directory)) {
    const fs::path prefix = prefix_of(files, root, version);
    if (prefix.empty()) continue;
    const fs::path program = prefix / "bin" / shim.filename();
    if (is_file(files, program)) return program;
  }
  return std::nullopt;
}

}  // namespace pinwheel::host
