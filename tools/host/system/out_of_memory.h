#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "ports/process.h"

namespace pinwheel::host {

/// The path of the cgroup (version 2) in the text of /proc/self/cgroup; nullopt when there is none.
std::optional<std::string_view> cgroup_path(std::string_view proc_self_cgroup);
/// The count behind `oom_kill` in the text of a cgroup's memory.events.
std::optional<uint64_t> oom_kills(std::string_view memory_events);
/// The same count of pinwheel's own cgroup now; nullopt when the machine does not tell.
std::optional<uint64_t> current_oom_kills();

/// Whether an end was a kill for memory: a SIGKILL that pinwheel did not send, or any bad end while
/// the kernel's count rose (the compiler was killed and its parent only reported it).
bool killed_for_memory(const ports::Exit& exit, std::optional<uint64_t> before,
                       std::optional<uint64_t> after);

}  // namespace pinwheel::host
