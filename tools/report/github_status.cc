#include "report/github_status.h"

#include <fmt/format.h>

#include <utility>

#include "base/text.h"

namespace pinwheel::report {
namespace {

std::string escape_data(std::string_view text) {
  std::string out = replace_all(std::string(text), "%", "%25");
  out = replace_all(std::move(out), "\r", "%0D");
  return replace_all(std::move(out), "\n", "%0A");
}

std::string escape_property(std::string_view text) {
  return replace_all(replace_all(escape_data(text), ":", "%3A"), ",", "%2C");
}

}  // namespace

std::string github_error(std::string_view title, std::string_view message) {
  return fmt::format("::error title={}::{}\n", escape_property(title), escape_data(message));
}

GitHubStatus::GitHubStatus(Printer printer) : printer_(printer), plain_(std::move(printer)) {}

void GitHubStatus::plan_started(const plan::Plan& plan, size_t reused) {
  plain_.plan_started(plan, reused);
}

void GitHubStatus::step_started(const plan::Step& step, int attempt, int cores) {
  plain_.step_started(step, attempt, cores);
}

void GitHubStatus::step_retry(const plan::Step& step, const Error& error,
                              std::chrono::milliseconds delay) {
  plain_.step_retry(step, error, delay);
}

void GitHubStatus::step_finished(const plan::StepOutcome& outcome) {
  plain_.step_finished(outcome);
  if (outcome.state != plan::StepState::failed) return;
  const std::string message = outcome.error ? outcome.error->message : "the step failed";
  printer_.out(github_error(fmt::format("{} failed", outcome.id), message));
}

void GitHubStatus::heartbeat(const run::Progress& progress) {
  plain_.heartbeat(progress);
}

void GitHubStatus::summary(const plan::Report& report) {
  printer_.out("::group::summary\n");
  plain_.summary(report);
  printer_.out("::endgroup::\n");
}

}  // namespace pinwheel::report
