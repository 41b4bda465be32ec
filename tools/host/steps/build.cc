#include "host/steps/build.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/json.h"
#include "base/text.h"
#include "host/provision/env_checks.h"
#include "host/steps/after_checks.h"
#include "host/steps/build_commands.h"
#include "host/steps/built_wheel.h"
#include "host/steps/checkpoint.h"
#include "host/steps/compiler_cache.h"
#include "host/steps/device_code.h"
#include "host/steps/rejected_wheel.h"
#include "host/wheels/leaked_secret.h"
#include "pep/wheel_name.h"
#include "plan/built_wheel.h"
#include "plan/compiler_profile.h"
#include "plan/key.h"
#include "store/derived_file.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

env::TorchNeed torch_need(const plan::BuildWheel& action) {
  env::TorchNeed need{action.torch_abi, action.torch, action.compute};
  if (action.torch_abi == matrix::TorchAbi::stable) need.version = action.torch_target;
  return need;
}

/// `checks.before`, and the architecture if the matrix has that axis.
std::vector<matrix::Check> checks_of(const plan::BuildWheel& action) {
  std::vector<matrix::Check> checks = action.settings.checks.before;
  if (!action.arch.empty()) checks.insert(checks.begin(), {"arch"});
  return checks;
}

/// The variables of the build, for probes on the host: with the environment's real path and the
/// user's home directories.
std::map<std::string, std::string> probe_variables(const StepContext& context,
                                                   const plan::BuildWheel& action,
                                                   const BuildSite& site) {
  BuildSetting setting = site.setting(context);
  // These paths are the build's too; a probe needs the real ones.
  setting.toolkit.clear();
  std::map<std::string, std::string> variables = clean_variables(setting);
  for (const char* const name : {"PATH", "HOME", "TMPDIR"}) {
    variables.erase(name);
    const auto users = context.machine.variables.find(name);
    if (users != context.machine.variables.end()) variables.insert(*users);
  }
  for (const auto& [name, value] : action.variables) variables[name] = value;
  return variables;
}

/// Fails early instead of after an hour of building.
Done check_before_build(const StepContext& context, const plan::BuildWheel& action,
                        const BuildSite& site) {
  const std::vector<matrix::Check> checks = checks_of(action);
  if (checks.empty()) return {};
  const CheckPlace place{site.base.python,
                         probe_variables(context, action, site),
                         action.environment.toolkit,
                         site.toolkit,
                         torch_need(action),
                         action.arch,
                         action.settings.build.arch_list};
  std::vector<env::BeforeFinding> failures =
      env::check_before(checks, gather_check_facts(context.machine, place, checks));
  if (failures.empty()) return {};
  return fail(env::to_error(std::move(failures), action.class_id));
}

struct FinishedWheels {
  std::vector<fs::path> wheels = {};
  std::vector<store::DerivedFile> derivations = {};
  std::vector<inspect::Finding> findings = {};  ///< findings of all wheels that did not stop the
                                                ///< build
};

/// Finishes and checks in scratch; only wheels that passed every check are moved to the output
/// directory.
Result<FinishedWheels> finish_and_check(const StepContext& context, const plan::BuildWheel& action,
                                        const BuildSite& site, const RepairedBuild& built) {
  TRY(const std::string added, added_requirement(action, built.wheel));
  FinishedWheels finished;
  std::vector<FinishedBuild> builds;
  for (const wheel::Naming& naming : plan::each_file(action.namings)) {
    const FinishRequest request = finish_request(action, naming, site.space.mode(), built.record);
    const fs::path directory = context.attempt.scratch / "finished";
    TRY(FinishedBuild build, finish_wheel(built.wheel, request, directory));
    builds.push_back(std::move(build));
    const plan::Output& output = builds.back().output;
    TRY(const pep::WheelName name,
        pep::parse_wheel_name(fs::path(output.path).filename().string()));
    TRY_DONE(plan::judge_platform(action, name));
    TRY_DONE(check_wheel_for_secrets(output.path, action.secrets, context.workplace.secrets));
    TRY(const std::vector<inspect::Finding> findings,
        check_after(context, action, site, naming, output.path, added));
    finished.findings.insert(finished.findings.end(), findings.begin(), findings.end());
    finished.wheels.emplace_back(output.path);
  }
  TRY(finished.derivations, compare_finished(builds));
  for (const store::DerivedFile& derived : finished.derivations) {
    append_log(context, store::derivation_line(derived) + "\n");
  }
  return finished;
}

struct CompiledWheel {
  fs::path path = {};
  std::chrono::milliseconds earlier{0};  ///< the time that earlier runs spent on it
};

/// Runs the build's command, unless an earlier run has done so and left a wheel that was rejected
/// only for its name.
Result<CompiledWheel> compiled_wheel(const StepContext& context, const plan::BuildWheel& action,
                                     const BuildSite& site, const std::string& key) {
  TRY(const std::optional<fs::path> earlier, take_rejected_wheel(context, action, key));
  if (earlier) return CompiledWheel{*earlier};
  TRY(const std::chrono::milliseconds spent, compile_wheel(context, action, site, key));
  TRY(fs::path built, only_file(context, context.attempt.scratch / kDistName, ".whl"));
  const Result<std::vector<std::string>> judged = check_built_wheel(context, action, built);
  const bool misnamed = !judged && judged.error().kind == ErrorKind::unplanned_wheel;
  if (misnamed) TRY_DONE(store_rejected_wheel(context, action, key, built));
  return CompiledWheel{std::move(built), spent};
}

using SteadyMoment = std::chrono::steady_clock::time_point;

/// "building `cu130`", for messages.
std::string what_runs(const StepContext& context, const plan::BuildWheel& action) {
  const auto* const part = std::get_if<plan::CompileDeviceCode>(&context.attempt.step->action);
  if (part == nullptr) return fmt::format("building {}", quoted(action.class_id));
  return fmt::format("building {} to compile its device code for {}", quoted(action.class_id),
                     quoted(part->architecture));
}

/// Runs the build's command, until `stop_at` if there is one: it is before the step's own time
/// limit. How the command used device code is not judged.
Done run_command(const StepContext& context, const plan::BuildWheel& action, const BuildSite& site,
                 std::optional<SteadyMoment> stop_at) {
  ports::Command command = build_command(action, site.setting(context));
  if (action.settings.build.network == matrix::BuildNetwork::none) {
    command.network = context.workplace.build_network;
  }
  TRY_DONE(add_compiler_cache(context, action, site, command));
  TRY_DONE(add_device_code(context, site, command));
  if (stop_at) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        *stop_at - context.machine.clock.steady());
    command.timeout = std::max(left, std::chrono::milliseconds(1));
  }
  Done ran;
  {
    BuildCommands recorded(context, site);
    recorded.prepare(command);
    count_in_build(action, site, command);
    ran = run_logged(context, site, command, what_runs(context, action));
    if (ran) recorded.succeed();
  }
  add_counted_hits(context, action);
  return ran;
}

Done run_build(const StepContext& context, const plan::BuildWheel& action, const BuildSite& site,
               std::optional<SteadyMoment> stop_at) {
  return judge_device_use(context, site, run_command(context, action, site, stop_at));
}

/// When a build must be stopped so that its checkpoint can be saved in time; none if the step's own
/// limit comes first.
std::optional<SteadyMoment> time_to_stop(const StepContext& context,
                                         const matrix::CheckpointSettings& settings) {
  if (!context.attempt.until) return std::nullopt;
  const SteadyMoment moment = *context.attempt.until - settings.before;
  const SteadyMoment own = context.machine.clock.steady() + context.attempt.step->timeout;
  return own <= moment ? std::nullopt : std::optional(moment);
}

/// Ends a build that was stopped in time. It fails if the next run would make no progress: this one
/// made none, or each run has another path and refuses the checkpoint of the one before.
Done end_unfinished(const StepContext& context, const plan::BuildWheel& action,
                    BuildCheckpoint& checkpoint) {
  const Done saved = checkpoint.save();
  const std::string what = fmt::format("building {}", quoted(action.class_id));
  const std::optional<Error>& refusal = checkpoint.refusal();
  const bool further = !refusal && checkpoint.saved_commands() > checkpoint.resumed_commands();
  if (checkpoint.number() == 0 || !further) {
    Error error{
        ErrorKind::timeout,
        fmt::format("{} takes longer than the run may take, and has no new checkpoint that the "
                    "next run could use",
                    what),
        std::nullopt, "give the run more time: `--time-limit`"};
    if (refusal) {
      error.causes.push_back(*refusal);
      error.hint = "permit namespaces on the machine, or use the same `--state-dir` in each run";
    }
    if (!saved) error.causes.push_back(saved.error());
    return fail(std::move(error));
  }
  if (!saved) {
    append_log(context, fmt::format("pinwheel: no checkpoint was saved at the end: {}\n",
                                    saved.error().message));
  }
  return fail(ErrorKind::unfinished,
              fmt::format("{} was stopped before the end of the run's time; checkpoint {} has {} "
                          "of finished commands",
                          what, checkpoint.number(), plural(checkpoint.saved_commands(), "output")),
              "run the same command again to continue it");
}

/// Removes what a build made, and exports its source again.
Done clear_site(const StepContext& context, const plan::BuildWheel& action) {
  for (const char* const name : {kSourceName, kDistName, "home", "tmp"}) {
    TRY_DONE(context.machine.files.remove_all(context.attempt.scratch / name));
    TRY_DONE(context.machine.files.make_directories(context.attempt.scratch / name));
  }
  return context.supplier.source(action.source, context.attempt.scratch / kSourceName,
                                 action.source_date_epoch);
}

Done run_with_checkpoints(const StepContext& context, const plan::BuildWheel& action,
                          const BuildSite& site, BuildCheckpoint& checkpoint) {
  const matrix::CheckpointSettings& settings = *action.settings.build.checkpoint;
  const std::optional<SteadyMoment> stop_at = time_to_stop(context, settings);
  if (stop_at && *stop_at <= context.machine.clock.steady()) {
    return fail(ErrorKind::unfinished,
                fmt::format("no time was left for building {}", quoted(action.class_id)),
                "run the same command again to build it");
  }
  Done ran;
  {
    const PeriodicSaves saves(checkpoint, context, settings.every);
    ran = run_build(context, action, site, stop_at);
  }
  const bool stopped = !ran && stop_at && ran.error().kind == ErrorKind::timeout;
  return stopped ? end_unfinished(context, action, checkpoint) : ran;
}

}  // namespace

Result<std::chrono::milliseconds> compile_wheel(const StepContext& context,
                                                const plan::BuildWheel& action,
                                                const BuildSite& site, const std::string& key) {
  const bool saves = action.settings.build.checkpoint && context.attempt.checkpoints;
  if (saves && !action.secrets.empty()) {
    append_log(context, "pinwheel: a build with secrets has no checkpoints\n");
  }
  if (!saves || !action.secrets.empty()) {
    TRY_DONE(run_build(context, action, site, std::nullopt));
    return std::chrono::milliseconds(0);
  }
  BuildCheckpoint checkpoint(context, site, key,
                             build_command(action, site.setting(context)).environment);
  TRY_DONE(checkpoint.resume());
  Done ran = run_with_checkpoints(context, action, site, checkpoint);
  if (!ran && checkpoint.resumed() && ran.error().kind == ErrorKind::step) {
    append_log(context,
               "pinwheel: the build failed after it continued from a checkpoint, and is "
               "repeated from the beginning\n");
    checkpoint.forget();
    TRY_DONE(clear_site(context, action));
    checkpoint.start_again();
    ran = run_with_checkpoints(context, action, site, checkpoint);
  }
  if (!ran) return fail(std::move(ran).error());
  return checkpoint.earlier();
}

FinishRequest finish_request(const plan::BuildWheel& action, const wheel::Naming& naming,
                             PathMode mode, const std::string& record_of_repair) {
  std::string record = plan::wheel_record(action);
  if (mode != PathMode::fixed || !record_of_repair.empty()) {
    nlohmann::json json = parse_json(record);
    if (mode != PathMode::fixed) json["fixed-path"] = false;
    if (!record_of_repair.empty()) json["repair"] = parse_json(record_of_repair);
    record = json.dump(2) + "\n";
  }
  FinishRequest request{naming, action.source_date_epoch, action.requires_torch, std::move(record),
                        action.settings.build.external};
  if (!naming.variants.empty()) {
    request.variant = inspect::VariantRequest{naming.variants.front(), naming.draft};
  }
  return request;
}

namespace {

/// Checks and finishes a compiled wheel, and moves the result to the output directory.
Result<run::Success> deliver_wheel(const StepContext& context, const plan::BuildWheel& action,
                                   const BuildSite& site, const fs::path& built) {
  TRY(std::vector<std::string> warnings, check_built_wheel(context, action, built));
  TRY(const RepairedBuild repaired, repair_built(context, action, site, built));
  TRY(const FinishedWheels finished, finish_and_check(context, action, site, repaired));
  for (std::string& line : inspect::to_lines(finished.findings)) {
    warnings.push_back(std::move(line));
  }
  run::Success success;
  success.derivations = finished.derivations;
  for (std::string& line : compiler_cache_warnings(context, action)) {
    warnings.push_back(std::move(line));
  }
  for (std::string& line : device_code_warnings(context, site)) {
    warnings.push_back(std::move(line));
  }
  if (value_at(action.variables, plan::kProfileVariable) == "1") {
    warnings.emplace_back("the build was profiled (`--profile`), without compiler caches");
  }
  success.warnings = std::move(warnings);
  for (const fs::path& wheel : finished.wheels) {
    TRY(const plan::Output output, put_into(wheel, context.workplace.output));
    append_log(context, fmt::format("{} sha256={}\n", output.path, output.sha256));
    success.outputs.push_back(output);
  }
  return success;
}

/// The checkpoints of a build are needed until its wheel is in the output directory, or until a
/// check rejects it: the same build would make the same wheel again.
void forget_checkpoints(const StepContext& context, const plan::BuildWheel& action,
                        const std::string& key, const Result<run::Success>& delivered) {
  if (!action.settings.build.checkpoint || !context.attempt.checkpoints) return;
  const bool rejected = !delivered && (delivered.error().kind == ErrorKind::check ||
                                       delivered.error().kind == ErrorKind::unplanned_wheel);
  if (!delivered && !rejected) return;
  context.attempt.checkpoints->forget(context.attempt.step->id, key);
}

}  // namespace

Result<run::Success> perform_build(const StepContext& context, const plan::BuildWheel& action) {
  TRY(const BuildSite site, prepare_site(context, action));
  TRY_DONE(env::check_libc(site.base.interpreter, action.tags.libc));
  TRY_DONE(check_before_build(context, action, site));
  enter_phase(context, plan::StepPhase::execution);
  TRY(const std::string key, compile_key(context));
  TRY(const CompiledWheel built, compiled_wheel(context, action, site, key));
  enter_phase(context, plan::StepPhase::output_upload);
  Result<run::Success> delivered = deliver_wheel(context, action, site, built.path);
  if (delivered) delivered->earlier = built.earlier;
  forget_checkpoints(context, action, key, delivered);
  return delivered;
}

Done compile_device_code(const StepContext& context, const plan::CompileDeviceCode& action,
                         const BuildSite& site) {
  return run_command(context, action.build, site, std::nullopt);
}

Result<run::Success> perform_device_code(const StepContext& context,
                                         const plan::CompileDeviceCode& action) {
  TRY(const BuildSite site, prepare_site(context, action.build));
  TRY_DONE(env::check_libc(site.base.interpreter, action.build.tags.libc));
  TRY_DONE(check_before_build(context, action.build, site));
  enter_phase(context, plan::StepPhase::execution);
  TRY_DONE(judge_device_use(context, site, compile_device_code(context, action, site)));
  enter_phase(context, plan::StepPhase::output_upload);
  TRY(const plan::Output output, deliver_device_code(context));
  append_log(context, fmt::format("{} sha256={}\n", output.path, output.sha256));
  run::Success success;
  success.outputs.push_back(output);
  success.warnings = compiler_cache_warnings(context, action.build);
  return success;
}

Result<ports::Exit> enter_build(const StepContext& context, const plan::BuildWheel& action,
                                const Enter& enter) {
  TRY(const BuildSite site, prepare_site(context, action));
  ports::Command command = build_command(action, site.setting(context));
  TRY_DONE(add_compiler_cache(context, action, site, command));
  Result<ports::Exit> exit = enter(site.space.wrap(command));
  end_compiler_cache(context, action, site, command);
  return exit;
}

}  // namespace pinwheel::host
