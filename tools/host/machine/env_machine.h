#pragma once
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "env/package_traffic.h"
#include "ports/clock.h"
#include "ports/files.h"
#include "ports/log.h"
#include "ports/process.h"

namespace pinwheel::host {

/// The user of a directory of the cache.
struct CacheUser {
  std::string project = {};  ///< the directory of its matrix; empty: none
  std::string step = {};     ///< "build:cpu", or the command that uses it

  auto operator<=>(const CacheUser&) const = default;
};

/// The directories of the cache that this process uses: while the object exists, nobody removes
/// them. Thread-safe.
class Leases {
 public:
  bool holds(const std::filesystem::path& directory) const;
  void hold(const std::filesystem::path& directory, std::unique_ptr<ports::FileLock> lock);
  /// Releases the lock on a directory that does not exist any more.
  void drop(const std::filesystem::path& directory);
  /// Whether that use is new and must be recorded.
  bool is_first(const std::filesystem::path& directory, const CacheUser& user);

 private:
  mutable std::mutex mutex_;
  std::map<std::filesystem::path, std::unique_ptr<ports::FileLock>> locks_;
  std::set<std::pair<std::filesystem::path, CacheUser>> uses_;
};

/// What the installations of a step took. Used by the thread of the step.
struct Installing {
  std::chrono::milliseconds spent{0};
  int depth = 0;                   ///< of installations within others
  env::PackageTraffic conda = {};  ///< archives of conda packages
};

/// The exact packages of requests from a frozen plan or a report: request digest -> JSON of the
/// resolution. For one run, they take precedence over those recorded in the state directory.
using GivenResolutions = std::map<std::string, std::string>;

/// The machine on which environments are made. The references must outlive the object.
struct EnvMachine {
  ports::Files& files;
  ports::Process& process;
  const ports::Clock& clock;
  std::map<std::string, std::string> variables;  ///< the part of the user's environment that
                                                 ///< programs see
  std::filesystem::path cache;                   ///< data that can be recreated
  std::filesystem::path state;                   ///< records
  /// The host of the container that the commands run in; null if they run on the host. In a
  /// container only mounted paths match those of `files`.
  const EnvMachine* host = nullptr;
  ports::LogHandle log = ports::no_log();  ///< for decisions; the ports log their actions
  CacheUser user = {};                     ///< the use of cache directories
  std::shared_ptr<Leases> leases = {};     ///< on those directories; null: no leases
  std::shared_ptr<const GivenResolutions> given = {};  ///< null: no given packages
  /// The file to which the output of installations is appended while they run; empty: not stored.
  std::filesystem::path output = {};
  std::shared_ptr<Installing> installing = {};  ///< null: not measured
};

/// The machine on which commands and `files` see the same file system.
inline const EnvMachine& host_of(const EnvMachine& machine) {
  return machine.host == nullptr ? machine : *machine.host;
}

/// The output of a query such as `--version`, trimmed. nullopt if the program is missing, fails or
/// takes more than 30 s. `more` is added to the machine's variables.
std::optional<std::string> ask_program(const EnvMachine& machine,
                                       const std::vector<std::string>& argv,
                                       const std::map<std::string, std::string>& more = {});

}  // namespace pinwheel::host
