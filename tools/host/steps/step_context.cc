#include "host/steps/step_context.h"

#include <fmt/format.h>

#include <fstream>
#include <utility>

#include "base/text.h"

namespace pinwheel::host {

matrix::ContainerSettings container_settings(const plan::Action& action) {
  return std::visit(
      [](const auto& each) -> matrix::ContainerSettings {
        if constexpr (requires { each.environment; }) return each.environment.container;
        if constexpr (requires { each.request; }) return each.request.container;
        if constexpr (requires { each.build.environment; }) return each.build.environment.container;
        return {};
      },
      action);
}

OpenStep::OpenStep(const Workplace& workplace, const run::Attempt& attempt, std::stop_token stop)
    : workplace_(workplace),
      attempt_(attempt),
      stop_(std::move(stop)),
      local_(workplace.variables, workplace.cache, workplace.state, stop_, workplace.log,
             workplace.hidden),
      supplier_(workplace) {
  local_.machine.user = cache_user(workplace, attempt.step->id);
  local_.machine.given = workplace.given;
  if (workplace.leases) local_.machine.leases = workplace.leases;
  if (!attempt.meter) return;
  const std::shared_ptr<run::AttemptMeter> meter = attempt.meter;
  local_.process.on_end = [meter](const ports::Exit& exit) { meter->add_process(exit); };
  local_.files.on_locked = [meter](std::chrono::milliseconds waited) { meter->add_lock(waited); };
}

StepContext OpenStep::context() {
  return {workplace_, attempt_, contained_ ? contained_->machine() : local_.machine,
          supplier_,  stop_,    contained_ ? &contained_->process() : nullptr};
}

Result<std::unique_ptr<OpenStep>> open_step(const Workplace& workplace, const run::Attempt& attempt,
                                            std::stop_token stop) {
  auto step = std::make_unique<OpenStep>(workplace, attempt, std::move(stop));
  Workplace around = workplace;
  // The engine stores the variables of a container that is not removed.
  if (!plan::secrets_of(attempt.step->action).empty()) {
    around.containers.after_failure = container::AfterEnd::remove;
  }
  TRY(step->contained_,
      contain(step->local_.machine, around, container_settings(attempt.step->action),
              attempt.step->id, step->stop_));
  if (step->contained_ && attempt.meter) {
    // What the step does on the host is little, and no substitute for a container that is not
    // measured.
    step->local_.process.on_end = {};
    step->contained_->process().measure(
        attempt.scratch,
        [meter = attempt.meter](const ports::Exit& exit) { meter->add_process(exit); });
  }
  TRY_DONE(step->local_.files.make_directories(attempt.scratch));
  return step;
}

void enter_phase(const StepContext& context, plan::StepPhase phase) {
  if (context.attempt.meter) context.attempt.meter->enter(phase);
}

std::function<void(uint64_t)> received_by(const StepContext& context) {
  if (!context.attempt.meter) return {};
  return [meter = context.attempt.meter](uint64_t bytes) { meter->add_fetched(bytes); };
}

void append_log(const StepContext& context, const std::string& text) {
  const auto& hidden = context.workplace.hidden;
  std::ofstream(context.attempt.log, std::ios::app) << (hidden ? hidden->mask(text) : text);
}

Done check_not_stopped(const std::stop_token& stop) {
  if (!stop.stop_requested()) return {};
  return fail(ErrorKind::interrupted, "the run was stopped");
}

void report_exit(const StepContext& context, const ports::Exit& exit) {
  if (context.workplace.on_exit) context.workplace.on_exit(context.attempt.step->id, exit);
}

Error past_time_limit(const StepContext& context, const std::string& what, std::string_view key) {
  return {ErrorKind::timeout,
          fmt::format("{} ran past its time limit of {}, which {} sets", what,
                      format_duration(context.attempt.step->timeout), pinwheel::quoted(key)),
          std::nullopt, fmt::format("raise {} in the matrix", pinwheel::quoted(key))};
}

}  // namespace pinwheel::host
