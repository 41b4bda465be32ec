#include "host/provision/collect_cache.h"

#include <signal.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/parse_integer.h"
#include "host/provision/cache_use.h"
#include "host/provision/environment_list.h"

namespace pinwheel::host {

namespace fs = std::filesystem;

DiskUses::DiskUses(const std::vector<fs::path>& directories) : files_(directories.size()) {
  for (size_t i = 0; i < directories.size(); ++i) {
    std::error_code failed;
    for (fs::recursive_directory_iterator at(directories[i], failed), end; !failed && at != end;
         at.increment(failed)) {
      struct stat status = {};
      if (::lstat(at->path().c_str(), &status) != 0 || S_ISDIR(status.st_mode)) continue;
      File& file = files_[i][{status.st_dev, status.st_ino}];
      file.size = static_cast<uint64_t>(status.st_size);
      file.links = status.st_nlink;
      ++file.seen;
    }
  }
}

DiskUse DiskUses::of(size_t directory) const {
  DiskUse use;
  for (const auto& [inode, file] : files_.at(directory)) {
    (file.seen < file.links ? use.shared : use.own) += file.size;
  }
  return use;
}

uint64_t DiskUses::total() const {
  std::map<Inode, uint64_t> all;
  for (const auto& files : files_) {
    for (const auto& [inode, file] : files) all[inode] = file.size;
  }
  uint64_t sum = 0;
  for (const auto& [inode, size] : all) sum += size;
  return sum;
}

uint64_t DiskUses::freed_by(const std::vector<size_t>& directories) const {
  std::map<Inode, File> all;
  for (const size_t directory : directories) {
    for (const auto& [inode, file] : files_.at(directory)) {
      File& sum = all.emplace(inode, File{file.size, file.links, 0}).first->second;
      sum.seen += file.seen;
    }
  }
  uint64_t freed = 0;
  for (const auto& [inode, file] : all) freed += file.seen < file.links ? 0 : file.size;
  return freed;
}

namespace {

constexpr std::string_view kSources = "sdists";
constexpr std::string_view kScratch = "scratch";

CacheKind kind_of(const EnvironmentEntry& entry) {
  const std::string kind = fs::path(entry.place).parent_path().filename().string();
  if (kind == "conda") return CacheKind::conda;
  return kind == "toolkits" ? CacheKind::toolkit : CacheKind::environment;
}

/// The time of a directory's last change; nullopt if it does not exist.
std::optional<std::chrono::sys_seconds> changed(const fs::path& directory) {
  struct stat status = {};
  if (::lstat(directory.c_str(), &status) != 0) return std::nullopt;
  return std::chrono::sys_seconds(std::chrono::seconds(status.st_mtim.tv_sec));
}

/// Whether the process in the name of a scratch directory, "resolve-0af3-4711", is running.
bool has_living_owner(std::string_view name) {
  const size_t dash = name.rfind('-');
  if (dash == std::string_view::npos) return false;
  const pid_t owner = parse_integer(name.substr(dash + 1)).value_or(0);
  if (owner <= 0) return false;
  return ::kill(owner, 0) == 0 || errno == EPERM;
}

/// The directories below the cache, and below its part for each image, with that name.
std::vector<fs::path> places_named(const EnvMachine& machine, std::string_view name) {
  std::vector<fs::path> found = {fs::path(name)};
  const fs::path images = "images";
  for (const std::string& image :
       machine.files.list(machine.cache / images).value_or(std::vector<std::string>())) {
    found.push_back(images / image / name);
  }
  return found;
}

std::vector<CacheEntry> directories_in(const EnvMachine& machine, std::string_view name,
                                       CacheKind kind) {
  std::vector<CacheEntry> found;
  for (const fs::path& place : places_named(machine, name)) {
    for (const std::string& id :
         machine.files.list(machine.cache / place).value_or(std::vector<std::string>())) {
      if (id.ends_with(kLockSuffix) || id.ends_with(kUsesSuffix)) continue;
      if (kind == CacheKind::scratch && has_living_owner(id)) continue;
      const fs::path directory = machine.cache / place / id;
      const auto time = changed(directory);
      if (!time) continue;
      const std::vector<CacheUse> uses = uses_of(machine.files, directory);
      found.push_back({kind, id, (place / id).string(),
                       uses.empty() ? *time : std::max(*time, uses.front().at)});
    }
  }
  return found;
}

Result<std::vector<CacheEntry>> cache_entries(const EnvMachine& machine) {
  std::vector<CacheEntry> entries;
  TRY(const std::vector<EnvironmentEntry> environments, list_environments(machine));
  entries.reserve(environments.size());
  for (const EnvironmentEntry& each : environments) {
    entries.push_back({kind_of(each), each.id, each.place, last_use(each), each.interpreter,
                       each.completeness == Completeness::partial});
  }
  for (const auto& [name, kind] :
       {std::pair(kSources, CacheKind::source), std::pair(kScratch, CacheKind::scratch)}) {
    std::vector<CacheEntry> found = directories_in(machine, name, kind);
    entries.insert(entries.end(), found.begin(), found.end());
  }
  return entries;
}

}  // namespace

std::string_view to_string(CacheKind kind) {
  switch (kind) {
    case CacheKind::environment:
      return "environment";
    case CacheKind::conda:
      return "conda prefix";
    case CacheKind::toolkit:
      return "toolkit";
    case CacheKind::source:
      return "source";
    case CacheKind::scratch:
      return "scratch";
  }
  return {};
}

std::vector<CacheEntry> unused(const std::vector<CacheEntry>& entries,
                               std::chrono::sys_seconds before, const std::string& cache) {
  const auto goes = [before](const CacheEntry& entry) {
    return entry.partial || entry.used <= before;
  };
  const auto is_needed = [&](const CacheEntry& prefix) {
    const std::string directory = cache + "/" + prefix.place + "/";
    return std::any_of(entries.begin(), entries.end(), [&](const CacheEntry& other) {
      return other.kind == CacheKind::environment && !goes(other) &&
             other.interpreter.starts_with(directory);
    });
  };
  std::vector<CacheEntry> found;
  for (const CacheEntry& entry : entries) {
    if (goes(entry) && !(entry.kind == CacheKind::conda && is_needed(entry))) {
      found.push_back(entry);
    }
  }
  return found;
}

Result<CacheCollection> collect_cache(const EnvMachine& machine, std::chrono::sys_seconds before,
                                      Removal removal) {
  TRY(const std::vector<CacheEntry> entries, cache_entries(machine));
  std::vector<fs::path> directories;
  directories.reserve(entries.size());
  for (const CacheEntry& entry : entries) directories.push_back(machine.cache / entry.place);
  const DiskUses uses(directories);
  CacheCollection collection;
  std::vector<size_t> gone;
  for (const CacheEntry& entry : unused(entries, before, machine.cache.string())) {
    const fs::path directory = machine.cache / entry.place;
    // Scratch directories have no lock: their names identify the owner.
    const auto lock = entry.kind == CacheKind::scratch ? Result<std::unique_ptr<ports::FileLock>>()
                                                       : lock_unused(machine, directory);
    if (!lock) {
      collection.in_use.push_back(entry);
      continue;
    }
    if (removal == Removal::real) TRY_DONE(remove_directory(machine, directory));
    collection.removed.push_back(entry);
    gone.push_back(static_cast<size_t>(
        std::find(directories.begin(), directories.end(), directory) - directories.begin()));
  }
  collection.removed_bytes = uses.freed_by(gone);
  collection.retained_bytes = uses.total() - collection.removed_bytes;
  return collection;
}

}  // namespace pinwheel::host
