#pragma once
#include <atomic>
#include <filesystem>
#include <functional>

#include "ports/clock.h"
#include "ports/log.h"
#include "ports/process.h"

namespace pinwheel::host {

/// Logs each child process when it starts and when it ends: `process_started` with its arguments
/// (those that look like a secret masked), directory and the names of its variables,
/// `process_ended` with the exit, the time and the memory. `process` numbers the processes of a
/// command. `on_end` is called with every exit; it may be empty, and is set before the first
/// process starts.
class LoggedProcess final : public ports::Process {
 public:
  /// All must outlive the object.
  LoggedProcess(ports::Process& process, ports::Log& log, const ports::Clock& clock);

  Result<ports::Captured> capture(const ports::Command& command) override;
  Result<ports::Exit> log(const ports::Command& command, const std::filesystem::path& log) override;

  std::function<void(const ports::Exit& exit)> on_end = {};

 private:
  ports::Process& process_;
  ports::Log& log_;
  const ports::Clock& clock_;
};

/// The number of a process in the log.
using ProcessNumber = int64_t;

/// Logs the start of a process that no `ports::Process` starts, such as one in the foreground.
ProcessNumber log_start(ports::Log& log, const ports::Command& command,
                        const std::filesystem::path& output);
/// Logs its end.
void log_end(ports::Log& log, ProcessNumber number, const Result<ports::Exit>& exit,
             std::chrono::steady_clock::duration elapsed);

}  // namespace pinwheel::host
