#pragma once
#include <string>

#include "base/error.h"
#include "plan/outcome.h"
#include "run/status.h"

namespace pinwheel::report {

/// One line per event, with its newline, all in the same form: a word, then its subject.
std::string plan_line(size_t steps, size_t reused);
std::string started_line(const std::string& id, int attempt, int cores, Color color);
std::string retry_line(const std::string& id, const Error& error, std::chrono::milliseconds delay,
                       Color color);
std::string finished_line(const plan::StepOutcome& outcome, Color color);
/// "running     build:cpu for 3m00s", one line for each step that runs or waits for a retry.
std::string heartbeat_lines(const run::Progress& progress, Color color);

}  // namespace pinwheel::report
