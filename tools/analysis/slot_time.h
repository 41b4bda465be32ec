#pragma once
#include <array>
#include <chrono>
#include <cstddef>
#include <string_view>

#include "analysis/run_trace.h"

namespace pinwheel::analysis {

/// What a slot of a machine did, or why it was idle.
enum class SlotClass {
  fetch,            ///< environments, toolkits, packages and sources
  compile,          ///< compilations for the host
  device_compile,   ///< compilations for GPUs
  link,             ///< links and static libraries
  build,            ///< the rest of a build's commands
  test,             ///< commands of tests
  package,          ///< finishing and checking wheels; making sdists
  upload,           ///< files on their way to an index, and installations from it
  idle_lock,        ///< the slot's own attempt waited for another process or step
  idle_slot,        ///< an attempt was ready, but too few cores were free for it
  idle_memory,      ///< an attempt was ready, but too little memory was free for it
  idle_pool,        ///< an attempt was ready, but its pool, such as `upload`, was in use
  idle_retry,       ///< an attempt waited for the delay before its retry
  idle_dependency,  ///< everything left needed a step that was still running
  idle_nothing,     ///< nothing was left to start
  absent,           ///< the machine had not started its first attempt, or had ended its last one
};
inline constexpr size_t kSlotClasses = 16;

/// The name in JSON, "idle_slot".
std::string_view to_string(SlotClass slot_class);
/// What a reader sees: "waited for cores".
std::string_view title_of(SlotClass slot_class);

/// The time of all slots of a run: of each machine as many as attempts ran at once.
struct SlotTime {
  std::chrono::milliseconds makespan{0};
  size_t slots = 0;  ///< of all machines
  /// By class; their sum is makespan x slots.
  std::array<std::chrono::milliseconds, kSlotClasses> spent = {};

  std::chrono::milliseconds total() const {
    return makespan * static_cast<std::chrono::milliseconds::rep>(slots);
  }
};

/// While several commands of a build run at once, its slot is divided among them evenly.
/// If several attempts wait while a slot is idle, the cause is the one nearest to a start: memory,
/// pool, cores, retry, then dependency.
SlotTime slot_time(const RunTrace& trace);

}  // namespace pinwheel::analysis
