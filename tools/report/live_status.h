#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ports/log.h"
#include "report/event_text.h"
#include "report/failure.h"
#include "run/status.h"

namespace pinwheel::report {

/// The end of a step's log, given its path.
using LogEnd = std::function<std::string(const std::string& log)>;

/// The current state of a step by its log: its last line as a terminal shows it, after the newest
/// `[3/12]` of a build tool, if there is one. For a download by pip, the line that names the file,
/// and how much of it has arrived.
std::string last_output(std::string_view log_end);

/// At most `limit` complete UTF-8 characters; ends in ".." if truncated.
std::string shortened(const std::string& line, size_t limit);

/// The status lines at the bottom of a terminal, each at most `width - 1` characters: the oldest
/// running steps with their time, the time that an earlier run took and the last line of their
/// output; some of the waiting steps, and the reason; the critical path of the rest; then "[3/7] 2
/// running, 1 failed, 1m02s, ~3m10s left, ends ~14:32  [#####---------------] 25%".
std::vector<std::string> live_lines(const run::Progress& progress, size_t width,
                                    const LogEnd& log_end = {});

/// For a terminal: finished steps scroll by, and the status lines at the bottom are redrawn with
/// each heartbeat. With colors off, only cursor movement is used.
class LiveStatus final : public run::StatusSink {
 public:
  /// `width`: the current columns of the terminal; 0 means unknown (80).
  LiveStatus(Printer printer, std::function<size_t()> width);
  /// Removes the status lines, so that later output starts on a clean line.
  ~LiveStatus() override;

  void plan_started(const plan::Plan& plan, size_t reused) override;
  void step_started(const plan::Step& step, int attempt, int cores) override;
  void step_retry(const plan::Step& step, const Error& error,
                  std::chrono::milliseconds delay) override;
  void step_finished(const plan::StepOutcome& outcome) override;
  void heartbeat(const run::Progress& progress) override;
  void summary(const plan::Report& report) override;

 private:
  /// The escape codes that erase the status lines; empty if none are drawn.
  std::string erase();
  void print(const std::string& lines);

  Printer printer_;
  PrintedFailures failures_;
  std::function<size_t()> width_;
  std::string foot_;
  size_t drawn_ = 0;  ///< status lines on the screen
};

/// Logs the outcome of each step and the files that it placed, in addition to the lines that
/// another sink prints for people: `run_started`, `attempt_started`, `attempt_repeats`,
/// `file_placed`, `step_ended`, `run_ended`.
class LoggedStatus final : public run::StatusSink {
 public:
  LoggedStatus(std::unique_ptr<run::StatusSink> status, ports::LogHandle log);

  void plan_started(const plan::Plan& plan, size_t reused) override;
  void step_started(const plan::Step& step, int attempt, int cores) override;
  void step_retry(const plan::Step& step, const Error& error,
                  std::chrono::milliseconds delay) override;
  void step_finished(const plan::StepOutcome& outcome) override;
  void heartbeat(const run::Progress& progress) override;
  void summary(const plan::Report& report) override;

 private:
  void log(std::string name, std::vector<ports::LogField> fields);

  std::unique_ptr<run::StatusSink> status_;
  ports::LogHandle log_;
};

}  // namespace pinwheel::report
