#pragma once
#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "plan/outcome.h"
#include "report/failure.h"
#include "run/status.h"

namespace pinwheel::report {

/// One line per event, with its newline, all in the same form: a word, then its subject.
std::string plan_line(size_t steps, size_t reused);
std::string started_line(const std::string& id, int attempt, int cores, Color color);
std::string retry_line(const std::string& id, const Error& error, std::chrono::milliseconds delay,
                       Color color);
std::string finished_line(const plan::StepOutcome& outcome, Color color);
/// "running     build:cpu for 3m00s, about 9m00s left (1 of 3 steps finished): [3/12] nvcc a.cu": a
/// line for each of the oldest running steps, with the remaining time if it takes as long as an
/// earlier run, and the end of its log; a line for each step that waits for a retry; and the
/// predicted end, if there is a prediction.
std::string heartbeat_lines(const run::Progress& progress, Color color,
                            const std::function<std::string(const std::string& log)>& log_end = {});

/// The dependencies of a status printer.
struct Printer {
  /// Takes whole lines, in color.
  std::function<void(std::string_view)> out;
  /// Takes a workflow command for a GitHub runner, a whole line.
  std::function<void(std::string_view)> command = {};
  /// Gathers the facts about a failed step.
  std::function<FailureFacts(const plan::StepOutcome&)> facts;
  Color color = Color::never;
  size_t columns = 0;  ///< of the terminal, for tables; 0: unlimited
  /// The end of the log at this path; may be empty.
  std::function<std::string(const std::string& log)> log_end = {};
};

/// The interval at which a log without a cursor reports running steps.
constexpr std::chrono::milliseconds kHeartbeat = std::chrono::minutes(1);

}  // namespace pinwheel::report
