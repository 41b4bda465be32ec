#pragma once
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace pinwheel::ports {

/// A bind mount: a directory or a file that a child process also sees at another path, in place of
/// what is there. Both paths are absolute.
struct Mount {
  std::filesystem::path from;
  std::filesystem::path at;

  bool operator==(const Mount&) const = default;
};

/// The network that a program can reach: the machine's, or only the loopback device.
enum class Network { whole, loopback };

/// The processes whose memory a program that runs as root may read (ptrace(2)): those of its own
/// user that allow it, or all, as container engines require.
enum class Tracing { ordinary, privileged };

/// A program to run. `environment` is the whole environment of the child: nothing is inherited, so
/// that a step sees only what its key covers.
struct Command {
  std::vector<std::string> argv;  ///< argv[0] is looked up in `environment`'s PATH
  std::filesystem::path directory = {};
  std::map<std::string, std::string> environment = {};
  std::optional<std::chrono::milliseconds> timeout = std::nullopt;
  std::vector<Mount> mounts = {};  ///< made in this order; visible to this child only
  Network network = Network::whole;
  Tracing tracing = Tracing::ordinary;

  bool operator==(const Command&) const = default;
};

/// How a child ended: by an exit `code`, or by a `signal`.
struct Exit {
  int code = 0;
  int signal = 0;          ///< 0 when it exited normally
  bool timed_out = false;  ///< it was killed because its time limit passed
  bool canceled = false;   ///< it was killed because the run was canceled
  bool out_of_memory =
      false;  ///< the kernel killed it, or a process of its group, for lack of memory
  /// Bytes of its largest process, or of all processes of its container; 0 if that is not known.
  uint64_t peak_memory = 0;
  std::optional<std::chrono::milliseconds> cpu_time =
      std::nullopt;  ///< of all its processes; nullopt if that is not known

  bool ok() const { return code == 0 && signal == 0; }
};

struct Captured {
  Exit exit;
  std::string out;
  std::string err;
};

/// Child processes. Each has its own process group and dies with pinwheel (parent-death signal); a
/// timeout or a cancellation ends the whole group, TERM first, KILL after a grace period.
class Process {
 public:
  Process() = default;
  virtual ~Process() = default;
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// Runs to the end and captures stdout and stderr. An error means that the program could not be
  /// started (kind `environment`, names the program); a nonzero exit is a value.
  virtual Result<Captured> capture(const Command& command) = 0;
  /// The same, with both streams appended to the file `log`.
  virtual Result<Exit> log(const Command& command, const std::filesystem::path& log) = 0;
};

}  // namespace pinwheel::ports
