#include "report/event_text.h"

#include <fmt/format.h>

#include <cstddef>

#include "base/text.h"
#include "base/visible_text.h"
#include "report/live_status.h"
#include "report/outlook_text.h"

namespace pinwheel::report {
namespace {

constexpr std::string_view kGreen = "32";
constexpr std::string_view kRed = "31";
constexpr std::string_view kYellow = "33";
constexpr std::string_view kCyan = "36";

std::string line(std::string_view word, std::string_view code, std::string_view text, Color color) {
  const std::string padded = fmt::format("{:<11}", word);
  const std::string rest = visible_lines(text);
  if (color == Color::never) return fmt::format("{} {}\n", padded, rest);
  return fmt::format("\x1b[{}m{}\x1b[0m {}\n", code, padded, rest);
}

std::string_view code_of(plan::StepState state) {
  switch (state) {
    case plan::StepState::done:
    case plan::StepState::reused:
      return kGreen;
    case plan::StepState::failed:
    case plan::StepState::interrupted:
      return kRed;
    case plan::StepState::blocked:
    case plan::StepState::skipped:
    case plan::StepState::unfinished:
      return kYellow;
  }
  return kRed;
}

// A shorter one is the installation of the wheel under test.
constexpr std::chrono::seconds kLongInstallation{10};

// A log must stay readable while many steps run for hours.
constexpr std::ptrdiff_t kMostRunning = 8;
constexpr size_t kLongestOutput = 100;

/// When a step ends if it takes as long as before: ", about 3m00s left"; empty if it never ran.
std::string end_text(const run::Running& one) {
  if (one.earlier.count() == 0) return {};
  if (one.elapsed < one.earlier) {
    return fmt::format(", about {} left", format_duration(one.earlier - one.elapsed));
  }
  return fmt::format(", {} longer than before", format_duration(one.elapsed - one.earlier));
}

}  // namespace

std::string plan_line(size_t steps, size_t reused) {
  if (reused == 0) return fmt::format("{} to run\n", plural(steps, "step"));
  return fmt::format("{}, {} reused, {} to run\n", plural(steps, "step"), reused, steps - reused);
}

std::string started_line(const std::string& id, int attempt, int cores, Color color) {
  std::string rest = id;
  if (cores > 1) rest += fmt::format(" ({} cores)", cores);
  if (attempt > 1) rest += fmt::format(", attempt {}", attempt);
  return line("started", kCyan, rest, color);
}

std::string retry_line(const std::string& id, const Error& error, std::chrono::milliseconds delay,
                       Color color) {
  const std::string when =
      delay.count() == 0 ? "again now" : fmt::format("again in {}", format_duration(delay));
  return line("retry", kYellow, fmt::format("{} {}: {}", id, when, error.message), color);
}

std::string finished_line(const plan::StepOutcome& outcome, Color color) {
  std::string rest = outcome.id;
  if (outcome.attempts > 0) rest += fmt::format(" {}", format_duration(outcome.elapsed));
  if (outcome.installing >= kLongInstallation) {
    rest += fmt::format(" after {} of installing packages", format_duration(outcome.installing));
  }
  if (outcome.evidence != plan::Evidence::none) {
    rest += fmt::format(" ({})", plan::evidence_text(outcome));
  }
  if (!outcome.reason.empty()) rest += fmt::format(": {}", outcome.reason);
  std::string text = line(to_string(outcome.state), code_of(outcome.state), rest, color);
  for (const std::string& warning : outcome.warnings) {
    text += line("warning", kYellow, fmt::format("{}: {}", outcome.id, warning), color);
  }
  return text;
}

std::string heartbeat_lines(const run::Progress& progress, Color color, const LogEnd& log_end) {
  std::string out;
  for (const run::Running& one : progress.running) {
    if (&one - progress.running.data() == kMostRunning) {
      const size_t more = progress.running.size() - kMostRunning;
      out += line("running", kCyan, fmt::format("{} more", more), color);
      break;
    }
    const std::string output = log_end && !one.log.empty() ? last_output(log_end(one.log)) : "";
    out += line(
        "running", kCyan,
        fmt::format("{} for {}{} ({} of {} steps finished){}{}", one.id,
                    format_duration(one.elapsed), end_text(one), progress.finished, progress.total,
                    output.empty() ? "" : ": ", shortened(output, kLongestOutput)),
        color);
  }
  for (const run::Waiting& one : progress.retrying) {
    out += line("waiting", kYellow,
                fmt::format("{} tries again in {}", one.id, format_duration(one.left)), color);
  }
  if (const std::string end = end_text(progress); !end.empty()) {
    out += line("predicted", kCyan,
                fmt::format("{} ({}% done); critical path: {}", end, percent_done(progress),
                            path_text(progress)),
                color);
  }
  return out;
}

}  // namespace pinwheel::report
