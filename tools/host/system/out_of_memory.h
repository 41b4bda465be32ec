#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "ports/process.h"

namespace pinwheel::host {

/// The path of the cgroup (version 2) in the text of /proc/self/cgroup; nullopt if there is none.
std::optional<std::string_view> cgroup_path(std::string_view proc_self_cgroup);
/// The `oom_kill` count in the text of a cgroup's memory.events.
std::optional<uint64_t> oom_kills(std::string_view memory_events);
/// The current count for pinwheel's own cgroup; nullopt if it is not available.
std::optional<uint64_t> current_oom_kills();

/// Whether a process was killed for lack of memory: a SIGKILL that pinwheel did not send, or any
/// failure while the kernel's count rose (the compiler was killed and its parent only reported it).
bool killed_for_memory(const ports::Exit& exit, std::optional<uint64_t> before,
                       std::optional<uint64_t> after);

}  // namespace pinwheel::host
