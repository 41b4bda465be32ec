#include "report/json_status.h"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "base/json.h"
#include "plan/outcome.h"
#include "report/event_text.h"

namespace pinwheel::report {
namespace {

using Json = nlohmann::ordered_json;

std::string line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

JsonStatus::JsonStatus(std::function<void(std::string_view)> out)
    : out_(std::move(out)), next_beat_(kHeartbeat) {}

void JsonStatus::plan_started(const plan::Plan& plan, size_t reused) {
  out_(line({{"event", "plan_started"},
             {"steps", plan.steps.size()},
             {"reused", reused},
             {"plan", plan.digest}}));
}

void JsonStatus::step_started(const plan::Step& step, int attempt, int cores) {
  out_(line({{"event", "step_started"}, {"id", step.id}, {"attempt", attempt}, {"cores", cores}}));
}

void JsonStatus::step_retry(const plan::Step& step, const Error& error,
                            std::chrono::milliseconds delay) {
  out_(line({{"event", "step_retry"},
             {"id", step.id},
             {"kind", std::string(to_string(error.kind))},
             {"message", error.message},
             {"delay_ms", delay.count()}}));
}

void JsonStatus::step_finished(const plan::StepOutcome& outcome) {
  out_(line({{"event", "step_finished"}, {"outcome", own_json(plan::outcome_json(outcome))}}));
}

void JsonStatus::heartbeat(const run::Progress& progress) {
  if (progress.elapsed < next_beat_) return;
  next_beat_ = progress.elapsed + kHeartbeat;
  Json json = {{"event", "progress"},       {"elapsed_ms", progress.elapsed.count()},
               {"steps", progress.total},   {"finished", progress.finished},
               {"failed", progress.failed}, {"running", Json::array()}};
  for (const run::Running& one : progress.running) {
    json["running"].push_back({{"id", one.id}, {"elapsed_ms", one.elapsed.count()}});
  }
  out_(line(json));
}

void JsonStatus::summary(const plan::Report& report) {
  out_(line({{"event", "summary"},
             {"exit", plan::exit_code(report)},
             {"signal", report.signal},
             {"elapsed_ms", report.elapsed.count()}}));
}

}  // namespace pinwheel::report
