#pragma once
#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pinwheel::host {

/// How a process is watched: `parent`: only its children matter. `command`: it is recorded, and
/// what it starts is a part of it. `builder`: a parent whose directory is read when it ends.
/// `ignored`: neither it nor its children matter.
enum class WatchRole { parent, command, builder, ignored };

using WatchTime = std::chrono::sys_time<std::chrono::milliseconds>;

struct WatchedCommand {
  size_t id = 0;  ///< from `begun`
  WatchTime start = {};
  WatchTime end = {};
  std::optional<size_t> builder = {};  ///< the id of the innermost builder that started it
};

/// The callbacks are called on the watch's own thread, and must not throw.
struct WatchCallbacks {
  /// Judges a process by its arguments. A parent is judged again in each round, because it may have
  /// started another program.
  std::function<WatchRole(const std::vector<std::string>& argv)> judge = {};
  /// A command or a builder is recorded from now on. Returns the caller's number for it.
  std::function<size_t(const std::vector<std::string>& argv)> begun = {};
  /// A builder has ended. `directory` is a path at which its working directory can be read during
  /// the call, even if it exists only in another mount namespace or has been removed.
  std::function<void(size_t id, const std::filesystem::path& directory)> builder_ended = {};
};

/// Watches the processes that the creating thread starts, those of `follow`, and their descendants,
/// through /proc: it needs nothing from them, and they cannot notice it. It looks for new processes
/// in rounds, at least 5 ms apart and so far apart that the rounds take at most 0.5% of `cores`
/// processors. So a process that lives shorter than that may be missed. The start of a process is
/// exact to 10 ms (the kernel's resolution), its end to about 1 ms.
///
/// Without /proc/PID/task/TID/children (a kernel without CONFIG_PROC_CHILDREN) nothing is found.
class ProcessWatch {
 public:
  /// Throws `std::system_error` if there is no thread or descriptor for it.
  ProcessWatch(WatchCallbacks callbacks, int cores);
  ~ProcessWatch();
  ProcessWatch(const ProcessWatch&) = delete;
  ProcessWatch& operator=(const ProcessWatch&) = delete;

  /// Watches a process that another program has started, such as the first one of a container, and
  /// its descendants, from now on. For any thread. Does nothing on kernels without pidfds, where
  /// the number could be that of another process later.
  void follow(pid_t process);

  /// Ends the watch. Commands that still run end now.
  std::vector<WatchedCommand> stop();

 private:
  class Rounds;
  std::unique_ptr<Rounds> rounds_;
};

}  // namespace pinwheel::host
