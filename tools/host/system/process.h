#pragma once
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>

#include "base/hidden_text.h"
#include "ports/process.h"

namespace pinwheel::host {

/// Child processes on Linux. Between pinwheel and the program runs a small supervisor process,
/// forked without exec: it adopts every descendant (PR_SET_CHILD_SUBREAPER) and kills them all when
/// the program has exited, on request, or when pinwheel dies, even by SIGKILL.
///
/// A call blocks its thread until the child and all its descendants are gone; calls may be made
/// from several threads at once. One object serves one attempt: a stop request on `cancel`
/// terminates what the object is running and rejects later calls.
class ChildProcesses final : public ports::Process {
 public:
  /// `grace` is the time between TERM and KILL, for a time limit and for a cancellation. Logs do
  /// not contain the texts in `hidden`; captured output is unchanged.
  explicit ChildProcesses(std::stop_token cancel = {},
                          std::chrono::milliseconds grace = std::chrono::seconds(2),
                          std::shared_ptr<const HiddenText> hidden = {});

  Result<ports::Captured> capture(const ports::Command& command) override;
  Result<ports::Exit> log(const ports::Command& command, const std::filesystem::path& log) override;

 private:
  std::stop_token cancel_;
  std::chrono::milliseconds grace_;
  std::shared_ptr<const HiddenText> hidden_;
};

/// The path of the cgroup (version 2) in the text of /proc/self/cgroup; nullopt if there is none.
std::optional<std::string_view> cgroup_path(std::string_view proc_self_cgroup);
/// The `oom_kill` count in the text of a cgroup's memory.events.
std::optional<uint64_t> oom_kills(std::string_view memory_events);

/// Whether a process was killed for lack of memory: a SIGKILL that pinwheel did not send, or any
/// failure while the kernel's count rose (the compiler was killed and its parent only reported it).
bool killed_for_memory(const ports::Exit& exit, std::optional<uint64_t> before,
                       std::optional<uint64_t> after);

}  // namespace pinwheel::host
