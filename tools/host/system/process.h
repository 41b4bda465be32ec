#pragma once
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>

#include "ports/process.h"

namespace pinwheel::host {

/// Child processes of Linux. Between pinwheel and the program stands a small supervisor process,
/// forked and never replaced: it adopts every descendant (PR_SET_CHILD_SUBREAPER) and kills them
/// all when the program has ended, when it is told to, or when pinwheel dies, even by SIGKILL.
///
/// A call blocks its thread until the child and all its descendants are gone; it may be made from
/// any thread, and many at once. One object serves one attempt: a request to stop `cancel` ends
/// what the object runs and refuses what it is asked to run later.
class ChildProcesses final : public ports::Process {
 public:
  /// `grace` lies between TERM and KILL, for a time limit as for a cancellation.
  explicit ChildProcesses(std::stop_token cancel = {},
                          std::chrono::milliseconds grace = std::chrono::seconds(2));

  Result<ports::Captured> capture(const ports::Command& command) override;
  Result<ports::Exit> log(const ports::Command& command, const std::filesystem::path& log) override;

 private:
  std::stop_token cancel_;
  std::chrono::milliseconds grace_;
};

}  // namespace pinwheel::host
