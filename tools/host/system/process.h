#pragma once
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>

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
  /// `grace` is the time between TERM and KILL, for a time limit and for a cancellation. No log has
  /// what is `hidden`; what is captured is as the program wrote it.
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

}  // namespace pinwheel::host
