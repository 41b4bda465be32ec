#include "report/live_status.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "report/event_text.h"
#include "report/summary.h"

namespace pinwheel::report {
namespace {

constexpr size_t kMostRunning = 8;

/// At most `limit` complete UTF-8 characters; ends in ".." if truncated.
std::string cut(const std::string& line, size_t limit) {
  const auto starts = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; };
  if (static_cast<size_t>(std::count_if(line.begin(), line.end(), starts)) <= limit) return line;
  std::string out;
  size_t count = 0;
  for (const char c : line) {
    if (starts(c) && ++count + 2 > limit) break;
    out += c;
  }
  return out + std::string(std::min<size_t>(limit, 2), '.');
}

}  // namespace

std::vector<std::string> live_lines(const run::Progress& progress, size_t width) {
  const size_t limit = std::max<size_t>(width == 0 ? 80 : width, 2) - 1;
  std::vector<std::string> lines;
  for (const run::Running& one : progress.running) {
    if (lines.size() == kMostRunning) {
      lines.push_back(fmt::format("  and {} more", progress.running.size() - kMostRunning));
      break;
    }
    lines.push_back(fmt::format("  {:>7}  {}{}", format_duration(one.elapsed), one.id,
                                one.attempt > 1 ? fmt::format(", attempt {}", one.attempt) : ""));
  }
  std::string last =
      fmt::format("[{}/{}] {} running", progress.finished, progress.total, progress.running.size());
  if (!progress.retrying.empty()) last += fmt::format(", {} to retry", progress.retrying.size());
  if (progress.failed > 0) last += fmt::format(", {} failed", progress.failed);
  lines.push_back(fmt::format("{}, {}", last, format_duration(progress.elapsed)));
  for (std::string& line : lines) line = cut(line, limit);
  return lines;
}

LiveStatus::LiveStatus(Printer printer, std::function<size_t()> width)
    : printer_(std::move(printer)), width_(std::move(width)) {}

LiveStatus::~LiveStatus() {
  if (drawn_ > 0) printer_.out(erase());
}

std::string LiveStatus::erase() {
  if (drawn_ == 0) return {};
  return fmt::format("\r\x1b[{}A\x1b[J", std::exchange(drawn_, 0));
}

void LiveStatus::print(const std::string& lines) {
  std::string text = erase() + lines + foot_;
  drawn_ = static_cast<size_t>(std::count(foot_.begin(), foot_.end(), '\n'));
  printer_.out(text);
}

void LiveStatus::plan_started(const plan::Plan& plan, size_t reused) {
  print(plan_line(plan.steps.size(), reused));
}

void LiveStatus::step_started(const plan::Step& /*step*/, int /*attempt*/, int /*cores*/) {}

void LiveStatus::step_retry(const plan::Step& step, const Error& error,
                            std::chrono::milliseconds delay) {
  print(retry_line(step.id, error, delay, printer_.color));
}

void LiveStatus::step_finished(const plan::StepOutcome& outcome) {
  std::string lines = finished_line(outcome, printer_.color);
  if (outcome.state == plan::StepState::failed) {
    lines += failure_block(outcome, printer_.facts(outcome));
  }
  print(lines);
}

void LiveStatus::heartbeat(const run::Progress& progress) {
  foot_ = join(live_lines(progress, width_()), "\n") + "\n";
  print({});
}

void LiveStatus::summary(const plan::Report& report) {
  foot_.clear();
  print(summary_table(report));
}

}  // namespace pinwheel::report
