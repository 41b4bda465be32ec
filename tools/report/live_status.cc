#include "report/live_status.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/parse_integer.h"
#include "base/terminal_text.h"
#include "base/text.h"
#include "base/visible_text.h"
#include "report/event_text.h"
#include "report/outlook_text.h"
#include "report/summary.h"

namespace pinwheel::report {
namespace {

constexpr size_t kMostLines = 8;

/// The newest "[3/12]" at the beginning of one of the lines; empty if there is none.
std::string counter_in(const std::vector<std::string>& lines) {
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    const size_t end = line->find(']');
    if (!line->starts_with('[') || end == std::string::npos) continue;
    const std::string inside = line->substr(1, end - 1);
    const size_t slash = inside.find('/');
    const bool counts = slash != std::string::npos && slash > 0 && slash + 1 < inside.size() &&
                        inside.find_first_not_of("0123456789/ ") == std::string::npos;
    if (counts) return line->substr(0, end + 1);
  }
  return {};
}

std::string running_line(const run::Running& one, const LogEnd& log_end) {
  std::string line = fmt::format("  {:>7}  {}", format_duration(one.elapsed), one.id);
  if (one.attempt > 1) line += fmt::format(", attempt {}", one.attempt);
  if (one.earlier.count() > 0) line += fmt::format(" (took {})", format_duration(one.earlier));
  const std::string output = log_end && !one.log.empty() ? last_output(log_end(one.log)) : "";
  return output.empty() ? line : line + "  " + output;
}

std::string pending_line(const run::Pending& one) {
  const std::string reason = one.needs.empty() ? "cores or memory" : join(one.needs, ", ");
  return fmt::format("  {:>7}  {} for {}", "waits", one.id, reason);
}

void add_pending_lines(const run::Progress& progress, std::vector<std::string>& lines) {
  for (const run::Pending& one : progress.pending) lines.push_back(pending_line(one));
  const size_t more = progress.pending_total - progress.pending.size();
  if (more > 0) lines.push_back(fmt::format("  {:>7}  {} more", "", more));
}

constexpr std::string_view kDownload = "Progress ";

/// "12 MB so far" of "Progress 12300000 of 191000000", as pip reports a download; empty for other
/// lines.
std::string download_text(std::string_view line) {
  if (!line.starts_with(kDownload)) return {};
  line.remove_prefix(kDownload.size());
  line = line.substr(0, line.find(' '));
  const std::optional<uint64_t> bytes = parse_unsigned(line);
  return bytes ? format_bytes(*bytes) + " so far" : std::string();
}

/// The last line that is not a progress line of a download, with the last such progress if it comes
/// later.
std::string with_download(const std::vector<std::string>& lines) {
  const std::string download = download_text(trim(lines.back()));
  if (download.empty()) return lines.back();
  const auto named = std::find_if(lines.rbegin(), lines.rend(), [](const std::string& line) {
    return download_text(trim(line)).empty();
  });
  return named == lines.rend() ? download
                               : fmt::format("{}: {}", trim(std::string_view(*named)), download);
}

/// Adds the progress bar if there is room for it.
std::string with_bar(std::string line, const run::Progress& progress, size_t limit) {
  const size_t taken = line.size() + 2;
  if (progress.total == 0 || taken >= limit) return line;
  const std::string bar = progress_bar(percent_done(progress), limit - taken);
  return bar.empty() ? line : line + "  " + bar;
}

}  // namespace

std::string shortened(const std::string& line, size_t limit) {
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

std::string last_output(std::string_view log_end) {
  const std::vector<std::string> lines = last_lines(log_end, 40);
  if (lines.empty()) return {};
  const std::string counter = counter_in(lines);
  std::string last = replace_all(std::string(trim(with_download(lines))), "\t", " ");
  if (counter.empty() || last.starts_with(counter)) return last;
  return last.empty() ? counter : counter + " " + last;
}

std::vector<std::string> live_lines(const run::Progress& progress, size_t width,
                                    const LogEnd& log_end) {
  const size_t limit = std::max<size_t>(width == 0 ? 80 : width, 2) - 1;
  std::vector<std::string> lines;
  for (const run::Running& one : progress.running) {
    if (lines.size() == kMostLines) {
      lines.push_back(fmt::format("  and {} more", progress.running.size() - kMostLines));
      break;
    }
    lines.push_back(running_line(one, log_end));
  }
  add_pending_lines(progress, lines);
  std::string last =
      fmt::format("[{}/{}] {} running", progress.finished, progress.total, progress.running.size());
  if (!progress.retrying.empty()) last += fmt::format(", {} to retry", progress.retrying.size());
  if (progress.failed > 0) last += fmt::format(", {} failed", progress.failed);
  last += ", " + format_duration(progress.elapsed);
  if (const std::string path = path_text(progress); !path.empty()) {
    lines.push_back("  critical path: " + path);
  }
  if (const std::string end = end_text(progress); !end.empty()) last += ", " + end;
  lines.push_back(with_bar(std::move(last), progress, limit));
  for (std::string& line : lines) line = shortened(visible(line), limit);
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
    lines += failures_.text_of(outcome, printer_.facts(outcome));
  }
  print(lines);
}

void LiveStatus::heartbeat(const run::Progress& progress) {
  foot_ = join(live_lines(progress, width_(), printer_.log_end), "\n") + "\n";
  print({});
}

void LiveStatus::summary(const plan::Report& report) {
  foot_.clear();
  print(summary_table(report, printer_.columns));
}

namespace {

void add_if_any(std::vector<ports::LogField>& fields, std::string name, const std::string& text) {
  if (!text.empty()) fields.push_back({std::move(name), text});
}

std::vector<ports::LogField> fields_of(const plan::StepOutcome& outcome) {
  std::vector<ports::LogField> fields = {{"step", outcome.id},
                                         {"state", std::string(to_string(outcome.state))},
                                         {"key", outcome.key},
                                         {"attempts", int64_t{outcome.attempts}},
                                         {"elapsed_ms", int64_t{outcome.elapsed.count()}}};
  add_if_any(fields, "log", outcome.log);
  add_if_any(fields, "reason", outcome.reason);
  if (outcome.evidence != plan::Evidence::none) {
    fields.push_back({"evidence", std::string(to_string(outcome.evidence))});
  }
  if (outcome.error) fields.push_back({"error", render(*outcome.error)});
  return fields;
}

}  // namespace

LoggedStatus::LoggedStatus(std::unique_ptr<run::StatusSink> status, ports::LogHandle log)
    : status_(std::move(status)), log_(std::move(log)) {}

void LoggedStatus::log(std::string name, std::vector<ports::LogField> fields) {
  log_->write({ports::LogLevel::debug, std::move(name), std::move(fields)});
}

void LoggedStatus::plan_started(const plan::Plan& plan, size_t reused) {
  log("run_started", {{"plan", plan.digest},
                      {"steps", static_cast<int64_t>(plan.steps.size())},
                      {"reused", static_cast<int64_t>(reused)}});
  status_->plan_started(plan, reused);
}

void LoggedStatus::step_started(const plan::Step& step, int attempt, int cores) {
  log("attempt_started",
      {{"step", step.id}, {"attempt", int64_t{attempt}}, {"cores", int64_t{cores}}});
  status_->step_started(step, attempt, cores);
}

void LoggedStatus::step_retry(const plan::Step& step, const Error& error,
                              std::chrono::milliseconds delay) {
  log("attempt_repeats",
      {{"step", step.id}, {"delay_ms", int64_t{delay.count()}}, {"error", render(error)}});
  status_->step_retry(step, error, delay);
}

void LoggedStatus::step_finished(const plan::StepOutcome& outcome) {
  if (outcome.state == plan::StepState::done) {
    for (const plan::Output& output : outcome.outputs) {
      log("file_placed", {{"step", outcome.id},
                          {"path", output.path},
                          {"sha256", output.sha256},
                          {"bytes", static_cast<int64_t>(output.size)}});
    }
  }
  log("step_ended", fields_of(outcome));
  status_->step_finished(outcome);
}

void LoggedStatus::heartbeat(const run::Progress& progress) {
  status_->heartbeat(progress);
}

void LoggedStatus::summary(const plan::Report& report) {
  log("run_ended", {{"exit", int64_t{plan::exit_code(report)}},
                    {"signal", int64_t{report.signal}},
                    {"elapsed_ms", int64_t{report.elapsed.count()}}});
  status_->summary(report);
}

}  // namespace pinwheel::report
