#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pinwheel::host {

/// Of the hierarchy that a control group is in, on which the names of its files depend.
enum class GroupVersion { v1, v2 };

/// A control group of this machine (cgroups(7)).
struct ControlGroup {
  GroupVersion version = GroupVersion::v2;
  std::string directory = {};

  bool operator==(const ControlGroup&) const = default;
};

/// The control groups that count what a container uses; nullopt: there is none.
struct ContainerGroups {
  std::optional<ControlGroup> memory = {};
  std::optional<ControlGroup> cpu = {};

  bool any() const { return memory || cpu; }
  bool operator==(const ContainerGroups&) const = default;
};

/// The groups of the container `id`, from the text of /proc/PID/cgroup of one of its processes.
/// `root` is where the hierarchies are mounted, /sys/fs/cgroup. Container engines name a group
/// after its container (`/docker/ID`, `/machine.slice/libpod-ID.scope`), so a process that is not
/// in this container, or whose group is not its own, has none. A group below that of the container
/// belongs to it.
ContainerGroups groups_of_container(std::string_view proc_cgroup, std::string_view id,
                                    std::string_view root);

/// Whether the text of /proc/PID/status is that of the first process of a PID namespace below this
/// one (pid_namespaces(7)): the process that a container runs.
bool is_first_of_namespace(std::string_view proc_status);

/// The processor time in the text of a group's cpu.stat (version 2).
std::optional<std::chrono::microseconds> usage_of_cpu_stat(std::string_view cpu_stat);

/// What the processes of a container have used; nullopt: not known.
struct ContainerUsage {
  /// Bytes of all processes at the same time, with the files that the kernel cached for them.
  std::optional<uint64_t> peak_memory = {};
  std::optional<std::chrono::microseconds> cpu_time = {};

  bool operator==(const ContainerUsage&) const = default;
};

/// Updates `usage` by what the groups have counted. What cannot be read remains unchanged: groups
/// are removed soon after their last process. Kernels older than 5.19 do not count the peak in
/// version 2, so there it is the highest of the values found by the calls.
void update_usage(const ContainerGroups& groups, ContainerUsage& usage);

}  // namespace pinwheel::host
