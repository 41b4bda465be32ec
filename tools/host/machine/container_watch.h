#pragma once
#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "host/system/control_group.h"

namespace pinwheel::host {

/// Where the kernel shows processes and control groups.
struct KernelPlaces {
  std::string processes = "/proc";
  std::string groups = "/sys/fs/cgroup";
};

/// Called with the number of the first process of a container; must not throw.
using OnRunning = std::function<void(pid_t first)>;

/// Measures what a container uses, from the counters of its control groups on this machine. It runs
/// no client: a thread reads the id of the container from the file that the client writes
/// (`container::with_id_file`), looks for the container's first process in /proc, and reads the
/// counters every 200 ms and when that process has ended, before the engine removes the groups.
///
/// While it looks for the process, it uses at most 5% of a processor, and pauses for an eighth of
/// the time since it began. A container that ends during such a pause is not measured, and neither
/// is one on another machine, in a PID namespace outside of pinwheel's, or in a group of others (a
/// rootless engine without delegated groups). Without pidfds (kernels older than 5.3), what the
/// container used in its last 200 ms may be missing.
class ContainerWatch {
 public:
  /// Begins before the container is made. Makes a directory in `scratch` for the id. Calls
  /// `on_running`, which may be empty, with the number of the first process, on the watch's own
  /// thread. Throws `std::system_error` if there is no directory, thread or descriptor for it.
  explicit ContainerWatch(const std::filesystem::path& scratch, OnRunning on_running = {},
                          KernelPlaces places = {});
  /// Removes the directory, which Podman expects while it removes the container.
  ~ContainerWatch();
  ContainerWatch(const ContainerWatch&) = delete;
  ContainerWatch& operator=(const ContainerWatch&) = delete;

  /// Where the client writes the id.
  const std::filesystem::path& id_file() const;
  /// Ends the watch. Called before the container is removed.
  ContainerUsage stop();

 private:
  /// Removed also if the thread cannot be started.
  struct Directory {
    std::filesystem::path path;

    explicit Directory(std::filesystem::path made) : path(std::move(made)) {}
    ~Directory();
    Directory(const Directory&) = delete;
    Directory& operator=(const Directory&) = delete;
  };
  class Rounds;

  Directory directory_;
  std::unique_ptr<Rounds> rounds_;
};

}  // namespace pinwheel::host
