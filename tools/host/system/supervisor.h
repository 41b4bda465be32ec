#pragma once
#include <sys/types.h>

#include <cstdint>

namespace pinwheel::host {

/// What a supervisor needs, laid out before the fork: after it nothing may be allocated.
struct Supervised {
  const char* program = nullptr;    ///< path to execute
  char* const* argv = nullptr;      ///< ends in a null pointer
  char* const* environ = nullptr;   ///< ends in a null pointer
  const char* directory = nullptr;  ///< null: pinwheel's own
  int in = -1;
  int out = -1;
  int err = -1;
  int verdict = -1;  ///< where the one `Verdict` is written
  int64_t grace_ms = 0;
  pid_t parent = 0;
};

/// The supervisor's only word, written when no descendant is left (or when none could be started).
struct Verdict {
  enum class Kind : int32_t { ended, no_directory, no_program };
  Kind kind = Kind::ended;
  int32_t value = 0;  ///< a wait status, or errno
};

/// Signals that a supervisor obeys; they must be blocked in the thread that forks it.
/// SIGTERM: end the program, KILL after the grace time. SIGHUP, also sent by the kernel when
/// pinwheel's thread dies: kill everything at once.
inline constexpr int kStopGently = 15;
inline constexpr int kStopNow = 1;

/// The life of a supervisor process, from just after the fork; makes async-signal-safe calls only.
[[noreturn]] void supervise(const Supervised& work);

}  // namespace pinwheel::host
