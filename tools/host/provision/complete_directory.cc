#include "host/provision/complete_directory.h"

#include <fmt/format.h>

#include <memory>
#include <utility>
#include <vector>

#include "base/text.h"
#include "host/machine/install_time.h"
#include "host/provision/cache_use.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

Result<uint64_t> bytes_under(ports::Files& files, const fs::path& path) {
  TRY(const ports::FileStatus status, files.status(path));
  if (status.type != ports::FileType::directory) return status.size;
  uint64_t sum = 0;
  TRY(const std::vector<std::string> names, files.list(path));
  for (const std::string& name : names) {
    TRY(const uint64_t bytes, bytes_under(files, path / name));
    sum += bytes;
  }
  return sum;
}

void log_cache(const EnvMachine& machine, const fs::path& directory, std::string decision) {
  machine.log->write({ports::LogLevel::info,
                      "cache",
                      {{"directory", directory.string()}, {"decision", std::move(decision)}}});
}

/// Makes it under its lock.
Done make_locked(const EnvMachine& machine, const fs::path& directory,
                 const std::function<Result<env::EnvironmentMarker>()>& make) {
  const InstallTime measured(machine);
  TRY_DONE(machine.files.make_directories(directory.parent_path()));
  TRY(const std::unique_ptr<ports::FileLock> lock,
      machine.files.lock(directory.string() + ".lock", ports::IfLocked::wait));
  TRY(const bool made_meanwhile, is_complete(machine, directory));
  if (made_meanwhile) {
    log_cache(machine, directory, "made by another process");
    return {};
  }
  log_cache(machine, directory, "make");
  TRY_DONE(machine.files.remove_all(directory));
  TRY(env::EnvironmentMarker marker, make());
  TRY(marker.bytes, bytes_under(machine.files, directory));
  marker.made = std::chrono::floor<std::chrono::seconds>(machine.clock.now());
  return machine.files.write(directory / kCompleteMarker, env::to_json(marker));
}

}  // namespace

Result<bool> is_complete(const EnvMachine& machine, const fs::path& directory) {
  TRY(const ports::FileStatus status, machine.files.status(directory / kCompleteMarker));
  return status.type == ports::FileType::regular;
}

Done make_once(const EnvMachine& machine, const fs::path& directory,
               const std::function<Result<env::EnvironmentMarker>()>& make) {
  TRY(bool ready, is_complete(machine, directory));
  if (ready) log_cache(machine, directory, "complete");
  while (true) {
    if (!ready) {
      // A lease on a directory that another process removed anyway would prevent this process from
      // making it.
      if (machine.leases) machine.leases->drop(directory);
      TRY_DONE(make_locked(machine, directory, make));
    }
    use_directory(machine, directory);
    // It may have been removed before it was in use.
    TRY(ready, is_complete(machine, directory));
    if (ready) return {};
  }
}

Done check_space(const EnvMachine& machine, const fs::path& directory, uint64_t need,
                 const std::string& what) {
  const fs::path root = directory.parent_path();
  TRY(const uint64_t free, machine.files.free_bytes(root));
  if (free >= need) return {};
  return fail(
      ErrorKind::environment,
      fmt::format("{} has {} free, {} needs {}", pinwheel::quoted(root.string()),
                  format_bytes(free), what, format_bytes(need)),
      "free disk space with `pinwheel env rm`, or move the cache with `PINWHEEL_CACHE_DIR`");
}

}  // namespace pinwheel::host
