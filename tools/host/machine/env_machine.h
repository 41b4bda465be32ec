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

#include "ports/clock.h"
#include "ports/files.h"
#include "ports/log.h"
#include "ports/process.h"

namespace pinwheel::host {

/// Who uses a directory of the cache.
struct CacheUser {
  std::string project = {};  ///< the directory of its matrix; empty: none
  std::string step = {};     ///< "build:cpu", or the command that uses it

  auto operator<=>(const CacheUser&) const = default;
};

/// The directories of the cache that this process uses: while the object lives, nobody removes
/// them. Thread-safe.
class Leases {
 public:
  bool holds(const std::filesystem::path& directory) const;
  void hold(const std::filesystem::path& directory, std::unique_ptr<ports::FileLock> lock);
  /// Releases the lock on a directory that does not exist any more.
  void drop(const std::filesystem::path& directory);
  /// Whether that use is new, and need be recorded.
  bool is_first(const std::filesystem::path& directory, const CacheUser& user);

 private:
  mutable std::mutex mutex_;
  std::map<std::filesystem::path, std::unique_ptr<ports::FileLock>> locks_;
  std::set<std::pair<std::filesystem::path, CacheUser>> uses_;
};

/// The time that a step spends on installations. Used by the thread of the step.
struct Installing {
  std::chrono::milliseconds spent{0};
  int depth = 0;  ///< of installations within others
};

/// The exact packages of requests as a frozen plan or a report has them: request digest -> JSON of
/// the resolution. They count for one run, before what is recorded in the state directory.
using GivenResolutions = std::map<std::string, std::string>;

/// The machine on which environments are made. The references must outlive the object.
struct EnvMachine {
  ports::Files& files;
  ports::Process& process;
  const ports::Clock& clock;
  std::map<std::string, std::string> variables;  ///< what programs see of the user's environment
  std::filesystem::path cache;                   ///< data that can be recreated
  std::filesystem::path state;                   ///< records
  /// The host of the container that the commands run in; null if they run on the host. In a
  /// container only mounted paths match those of `files`.
  const EnvMachine* host = nullptr;
  ports::LogHandle log = ports::no_log();  ///< for decisions; the ports log what they do
  CacheUser user = {};                     ///< what the directories of the cache are used for
  std::shared_ptr<Leases> leases = {};     ///< on those directories; null: none are held
  std::shared_ptr<const GivenResolutions> given = {};  ///< null: none are
  /// Where installations append what they print, while they run; empty: it is not kept.
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
