#include "report/logged_status.h"

#include <utility>

namespace pinwheel::report {
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
