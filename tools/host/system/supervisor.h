#pragma once
#include <sys/types.h>

#include <cstdint>

namespace pinwheel::host {

/// The input of a supervisor, prepared before the fork: nothing may be allocated after it.
struct Supervised {
  const char* program = nullptr;    ///< path of the executable
  char* const* argv = nullptr;      ///< null-terminated
  char* const* environ = nullptr;   ///< null-terminated
  const char* directory = nullptr;  ///< null: pinwheel's own
  bool loopback_only = false;       ///< in a network of its own
  const char* uid_map = nullptr;    ///< for /proc/self/uid_map, if a user namespace is needed
  const char* gid_map = nullptr;
  int user_namespace = -1;      ///< a prepared one to use instead of these maps; -1: there is none
  bool traces_as_root = false;  ///< retains CAP_SYS_PTRACE
  int in = -1;
  int out = -1;
  int err = -1;
  int verdict = -1;  ///< receives the one `Verdict`
  int64_t grace_ms = 0;
  pid_t parent = 0;
};

/// The supervisor's only report, written when no descendant is left (or none could be started).
struct Verdict {
  enum class Kind : int32_t { ended, no_directory, no_program, no_network };
  Kind kind = Kind::ended;
  int32_t value = 0;     ///< a wait status, or errno
  int64_t peak_kib = 0;  ///< of the largest descendant
  int64_t cpu_ms = 0;    ///< user and system time of all descendants
};

/// Signals that a supervisor handles; they must be blocked in the thread that forks it. SIGTERM:
/// terminate the program, KILL after the grace period. SIGHUP, also sent by the kernel when
/// pinwheel's thread dies: kill everything immediately.
inline constexpr int kStopGently = 15;
inline constexpr int kStopNow = 1;

/// The body of a supervisor process after the fork, in a session without a terminal; makes only
/// async-signal-safe calls.
[[noreturn]] void supervise(const Supervised& work);

}  // namespace pinwheel::host
