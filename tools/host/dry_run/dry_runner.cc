#include "host/dry_run/dry_runner.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <utility>

#include "base/text.h"
#include "env/commands.h"
#include "host/dry_run/dry_container.h"
#include "host/dry_run/script_ports.h"
#include "host/machine/contained_machine.h"
#include "host/machine/local_machine.h"
#include "host/steps/build.h"
#include "host/steps/build_command.h"
#include "host/steps/device_code.h"
#include "host/steps/repair_build.h"
#include "host/steps/sdist.h"
#include "host/wheels/finish_files.h"
#include "plan/device_code.h"
#include "plan/step.h"
#include "plan/step_id.h"
#include "wheel/pinned_requirements.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

/// The script takes secrets from its own environment, and stops where one is missing.
std::map<std::string, Secret> secret_variables(const std::vector<std::string>& names) {
  std::map<std::string, Secret> values;
  for (const std::string& name : names) values.emplace(name, Secret(script_variable(name)));
  return values;
}

/// An attempt whose ports write a script.
class DryStep {
 public:
  DryStep(const Workplace& workplace, const run::Attempt& attempt, Script& into)
      : script(into), attempt_(attempt), workplace_(workplace), local_(workplace), supplier_(into) {
    workplace_.secrets = secret_variables(plan::secrets_of(attempt.step->action));
    attempt_.log = "/dev/null";
  }
  DryStep(const DryStep&) = delete;
  DryStep& operator=(const DryStep&) = delete;

  /// `internal` if the image of its container was not made.
  Done open() {
    const matrix::ContainerSettings settings = container_settings(attempt_.step->action);
    TRY(contained_, contain(local_.machine, workplace_, settings, "dry", {}));
    if (contained_) {
      TRY(container_, dry_container(local_.machine, workplace_, settings));
    }
    const EnvMachine& machine = this->machine();
    files_.emplace(machine.files, script);
    process_.emplace(machine.process, script, container_ ? &*container_ : nullptr);
    const std::string scratch = script_variable("scratch");
    script.move(workplace_.state / "scratch", scratch);
    const fs::path place = fs::path(scratch) / machine.cache.lexically_relative(workplace_.cache);
    for (const char* const made : {"environments", "tools/pip-"}) {
      script.move(machine.cache / made, (place.lexically_normal() / made).string());
    }
    return {};
  }

  StepContext context() {
    const EnvMachine& machine = this->machine();
    return {workplace_, attempt_,
            EnvMachine{*files_, *process_, machine.clock, machine.variables, machine.cache,
                       machine.state, machine.host, machine.log, machine.user, machine.leases,
                       machine.given},
            supplier_, workplace_.stop};
  }
  /// nullptr for a step on the host.
  const DryContainer* container() const { return container_ ? &*container_ : nullptr; }

  Script& script;

 private:
  const EnvMachine& machine() const { return contained_ ? contained_->machine() : local_.machine; }

  run::Attempt attempt_;
  Workplace workplace_;
  LocalMachine local_;
  std::unique_ptr<ContainedMachine> contained_;
  std::optional<DryContainer> container_;
  std::optional<ScriptFiles> files_;
  std::optional<ScriptProcess> process_;
  ScriptSupplier supplier_;
};

/// A container engine creates mount points; on the host they must exist.
void make_fixed_path(DryStep& step, const BuildSite& site) {
  if (step.container() != nullptr || site.space.mode() != PathMode::fixed) return;
  step.script.add(fmt::format("mkdir -p {}\n", kFixedPath));
}

/// Repairs the wheel in `kDistName` as `repair_built` does, and returns the directory of the wheel
/// to finish. Libraries of an image cannot be looked up from outside: its containers have no
/// pinwheel.
Result<fs::path> repair_lines(DryStep& step, const plan::BuildWheel& action,
                              const BuildSite& site) {
  const StepContext context = step.context();
  const fs::path built = context.attempt.scratch / kDistName;
  const fs::path repaired = context.attempt.scratch / kRepairedName;
  const matrix::RepairMode mode = action.settings.build.repair.mode;
  if (mode == matrix::RepairMode::none) return built;
  if (mode == matrix::RepairMode::automatic && step.container() != nullptr) {
    step.script.add("# `build` puts libraries of the image into the wheel here\n");
    return built;
  }
  step.script.add(fmt::format("wheel=$(basename {}/*.whl)\n", step.script.word(built.string())));
  const std::string wheel = script_variable("wheel");
  if (mode == matrix::RepairMode::command) {
    TRY_DONE(run_repair_command(context, action, site, wheel));
    return repaired;
  }
  ports::Command command{
      {script_variable("pinwheel"), "repair", (site.space.seen(kDistName) / wheel).string(),
       "--out", site.space.seen(kRepairedName).string(), "--epoch",
       std::to_string(action.source_date_epoch)},
      site.space.seen(kSourceName),
      env::pip_variables(context.machine.variables),
      {}};
  for (const std::string& glob : action.settings.build.external) {
    command.argv.insert(command.argv.end(), {"--exclude", glob});
  }
  const std::string searched = library_path(context, action, site);
  if (!searched.empty()) command.environment["LD_LIBRARY_PATH"] = searched;
  TRY_DONE(context.machine.files.make_directories(repaired));
  TRY_DONE(context.machine.process.log(site.space.wrap(std::move(command)), context.attempt.log));
  return repaired;
}

/// Finishes the wheel of a directory as `finish_wheel` does.
void finish_lines(DryStep& step, const FinishRequest& request, const fs::path& directory) {
  const StepContext context = step.context();
  const fs::path record = context.attempt.scratch / "pinwheel.json";
  step.script.write(record, request.record_json);
  std::string line = fmt::format(
      "\"$pinwheel\" finish {}/*.whl --distribution {} --wheel-version {} --epoch {} --record {} "
      "--output-dir {}",
      step.script.word(directory.string()), shell_quote(request.naming.distribution),
      shell_quote(request.naming.version), request.epoch, step.script.word(record.string()),
      shell_quote(context.workplace.output.string()));
  if (request.naming.build > 0) line += fmt::format(" --build-number {}", request.naming.build);
  if (!request.requirement.empty()) line += " --requires " + shell_quote(request.requirement);
  for (const std::string& pin : wheel::to_texts(request.naming.pins)) {
    line += " --pin " + shell_quote(pin);
  }
  if (request.variant) {
    line += fmt::format(" --variant {} --variant-draft {}", request.variant->label,
                        pep::to_string(request.variant->draft));
  }
  for (const std::string& glob : request.external) line += " --external " + shell_quote(glob);
  step.script.add(line + "\n");
}

/// Performs the part of an action that ends with its command. Decisions that depend on the files of
/// the command are described: the script runs pinwheel on them.
struct ScriptOfAction {
  DryStep& step;

  Done operator()(const plan::CreateEnvironment& action) const {
    if (action.request.purpose == env::Purpose::test) {
      step.script.add("# only tests use it\n");
      return {};
    }
    TRY_DONE(step.open());
    if (step.container() != nullptr) step.script.add(step.container()->image_lines);
    TRY(const BaseEnvironment base, base_environment(step.context(), action.request));
    return {};
  }
  Done operator()(const plan::MakeToolkit& action) const {
    step.script.add(
        fmt::format("# {} is created by the build that needs it\n", action.request.toolkit));
    return {};
  }
  Done operator()(const plan::BuildWheel& action) const {
    TRY_DONE(step.open());
    const StepContext context = step.context();
    TRY(const BuildSite site, prepare_site(context, action));
    make_fixed_path(step, site);
    TRY_DONE(compile_wheel(context, action, site, {}));
    TRY(const fs::path directory, repair_lines(step, action, site));
    for (const wheel::Naming& naming : plan::each_file(action.namings)) {
      finish_lines(step, finish_request(action, naming, site.space.mode(), {}), directory);
    }
    return {};
  }
  Done operator()(const plan::CompileDeviceCode& action) const {
    TRY_DONE(step.open());
    const StepContext context = step.context();
    TRY(const BuildSite site, prepare_site(context, action.build));
    make_fixed_path(step, site);
    TRY_DONE(compile_device_code(context, action, site));
    const fs::path objects = context.attempt.scratch / kDeviceCodeName / plan::kDeviceObjectsName;
    step.script.add(fmt::format("# {} has the device code of {} for {}\n",
                                step.script.word(objects.string()),
                                plan::build_id(action.build.class_id), action.architecture));
    return {};
  }
  Done operator()(const plan::BuildSdist& action) const {
    TRY_DONE(step.open());
    const StepContext context = step.context();
    TRY(const BuildSite site, prepare_site(context, action));
    make_fixed_path(step, site);
    TRY_DONE(compile_sdist(context, action, site));
    step.script.add(fmt::format("\"$pinwheel\" finish {}/*.tar.gz --epoch {} --output-dir {}\n",
                                step.script.word((context.attempt.scratch / kDistName).string()),
                                action.source_date_epoch,
                                shell_quote(context.workplace.output.string())));
    return {};
  }
  Done operator()(const plan::TestWheel& action) const {
    const std::string with =
        action.siblings.empty() ? "" : " with those of " + join(action.siblings, ", ");
    step.script.add(action.skip.empty()
                        ? fmt::format("# would install the wheel of {}{} and test {}\n",
                                      action.build, with, action.variant_id)
                        : fmt::format("# skipped: {}\n", action.skip));
    return {};
  }
  Done operator()(const plan::InstallWheel& action) const {
    std::vector<std::string> siblings;
    for (const wheel::Naming& sibling : action.siblings) {
      siblings.push_back(fmt::format("{}=={}", sibling.distribution, sibling.version));
    }
    step.script.add(
        fmt::format("# would install {}=={}{} from {} with pip and with uv, and import it\n",
                    action.name.distribution, action.name.version,
                    siblings.empty() ? "" : " with " + join(siblings, ", "), action.target.name));
    return {};
  }
  Done operator()(const plan::Publish& action) const {
    const std::optional<size_t> nightlies = action.target.keep_nightlies;
    const bool promoted = action.role == plan::PublishRole::promoted;
    step.script.add(fmt::format(
        "# would publish {}to {}{}\n",
        promoted ? fmt::format("the files of {} ", action.from.name) : "", action.target.name,
        nightlies ? fmt::format(", and keep its newest {} nightlies", *nightlies) : ""));
    return {};
  }
};

/// The beginning of the script: strict mode, the scratch directory.
std::string script_head(const fs::path& program) {
  return fmt::format(
      "#!/usr/bin/env bash\nset -euo pipefail\npinwheel={}\nscratch=$(mktemp -d)\n"
      "trap 'rm -rf \"$scratch\"' EXIT\n",
      shell_quote(program.string()));
}

}  // namespace

DryRunner::DryRunner(Workplace workplace, const fs::path& program,
                     std::function<void(std::string_view)> print)
    : workplace_(std::move(workplace)), print_(std::move(print)) {
  print_(script_head(program));
}

Result<run::Success> DryRunner::print_step(const run::Attempt& attempt) {
  DryStep step(workplace_, attempt, script_);
  Done written = std::visit(ScriptOfAction{step}, attempt.step->action);
  const std::string lines = script_.take();
  if (!written) return fail(std::move(written).error());
  print_(fmt::format("\n# {}\n{}", attempt.step->id, lines));
  return run::Success{};
}

void DryRunner::submit(const std::vector<run::StepJob>& jobs) {
  for (const run::StepJob& job : jobs) {
    if (!jobs_.add(job)) continue;
    Result<run::Success> result = print_step(job.attempt);
    const run::StepJobState state =
        result ? run::StepJobState::succeeded : run::StepJobState::failed;
    ended_.push_back({job.attempt.step->id, std::move(result), job.token, state});
    jobs_.end(ended_.back());
  }
}

run::Event DryRunner::poll(std::chrono::steady_clock::time_point /*deadline*/) {
  if (ended_.empty()) return run::Deadline{};
  run::Completed next = std::move(ended_.front());
  ended_.pop_front();
  return next;
}

std::optional<run::Completed> DryRunner::collect(const std::string& token) const {
  return jobs_.find(token);
}

}  // namespace pinwheel::host
