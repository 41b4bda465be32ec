#include "host/dry_run/dry_runner.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <utility>

#include "env/environment_marker.h"
#include "env/made_toolkit.h"
#include "env/pypi_toolkit.h"
#include "env/request.h"
#include "host/dry_run/dry_container.h"
#include "host/dry_run/dry_script.h"
#include "host/machine/contained_machine.h"
#include "host/machine/local_machine.h"
#include "host/provision/conda_prefix.h"
#include "host/provision/env_resolve.h"
#include "host/provision/machine_interpreter.h"
#include "host/provision/toolkit.h"

namespace pinwheel::host {
namespace {

/// The machine that a request's commands run on, which is not changed.
Result<std::unique_ptr<ContainedMachine>> contained(const LocalMachine& here,
                                                    const Workplace& workplace,
                                                    const env::Request& request) {
  return contain(here.machine, workplace, request.container, "dry", {});
}

Result<DryEnvironment> look_up(const Workplace& workplace, const env::Request& request) {
  const LocalMachine here(workplace);
  TRY(const std::unique_ptr<ContainedMachine> inside, contained(here, workplace, request));
  const EnvMachine& machine = inside ? inside->machine() : here.machine;
  DryEnvironment environment;
  TRY(environment.resolution, load_resolution(machine, env::digest(request)));
  if (environment.resolution.conda.empty()) {
    TRY(environment.interpreter, interpreter_for(machine, request.python));
  } else {
    // Resolving has created the prefix, because pip needs it.
    const std::vector<env::CondaPackage>& packages = environment.resolution.conda;
    TRY(CondaPrefix prefix, make_conda_prefix(machine, request.python, packages));
    environment.interpreter = std::move(prefix.interpreter);
    environment.conda = std::move(prefix.directory);
  }
  environment.id =
      env::environment_id(environment.resolution, environment.interpreter, request.purpose);
  if (!inside) return environment;
  TRY(environment.container, dry_container(here.machine, workplace, request.container));
  environment.variables = machine.variables;
  return environment;
}

Result<std::optional<DryToolkit>> look_up_toolkit(const Workplace& workplace,
                                                  const env::Request& request) {
  if (request.toolkit.empty()) return std::nullopt;
  const LocalMachine here(workplace);
  TRY(const std::unique_ptr<ContainedMachine> inside, contained(here, workplace, request));
  const EnvMachine& machine = inside ? inside->machine() : here.machine;
  const std::vector<env::Toolkit> found = list_toolkits(machine, request);
  if (env::toolkit_source(request, found) != env::ToolkitSource::pypi) {
    TRY(env::Toolkit toolkit, find_toolkit(machine, request));
    return DryToolkit{std::move(toolkit)};
  }
  TRY(const env::Request packages, env::pypi_toolkit_request(request));
  TRY(const env::Resolution resolution, load_resolution(machine, env::digest(packages)));
  return dry_pypi_toolkit(env::toolkit_name(request.toolkit), resolution);
}

struct ScriptOfAction {
  const Workplace& workplace;
  int cores;

  Result<std::string> operator()(const plan::CreateEnvironment& action) const {
    if (action.request.purpose == env::Purpose::test) return std::string("# only tests use it\n");
    TRY(const DryEnvironment environment, look_up(workplace, action.request));
    return script_of_environment(environment, workplace);
  }
  Result<std::string> operator()(const plan::MakeToolkit& action) const {
    return fmt::format("# {} is created by the build that needs it\n", action.request.toolkit);
  }
  Result<std::string> operator()(const plan::BuildWheel& action) const {
    TRY(const DryEnvironment environment, look_up(workplace, action.environment));
    TRY(const std::optional<DryToolkit> toolkit, look_up_toolkit(workplace, action.environment));
    return script_of_build(action, environment, toolkit, workplace, cores);
  }
  Result<std::string> operator()(const plan::BuildSdist& action) const {
    TRY(const DryEnvironment environment, look_up(workplace, action.environment));
    return script_of_sdist(action, environment, workplace);
  }
  Result<std::string> operator()(const plan::TestWheel& action) const {
    if (!action.skip.empty()) return fmt::format("# skipped: {}\n", action.skip);
    return fmt::format("# would install the wheel of {} and test {}\n", action.build,
                       action.variant_id);
  }
  Result<std::string> operator()(const plan::Publish& action) const {
    const std::optional<size_t> kept = action.target.keep_nightlies;
    return fmt::format("# would publish to {}{}\n", action.target.name,
                       kept ? fmt::format(", and keep its newest {} nightlies", *kept) : "");
  }
};

}  // namespace

DryRunner::DryRunner(Workplace workplace, const std::filesystem::path& program,
                     std::function<void(std::string_view)> print)
    : workplace_(std::move(workplace)), print_(std::move(print)) {
  print_(script_head(program));
}

Result<std::string> DryRunner::script_of(const run::Attempt& attempt) const {
  return std::visit(ScriptOfAction{workplace_, attempt.cores}, attempt.step->action);
}

void DryRunner::start(const run::Attempt& attempt) {
  Result<std::string> script = script_of(attempt);
  if (!script) {
    ended_.push_back({attempt.step->id, fail(std::move(script).error())});
    return;
  }
  print_(fmt::format("\n# {}\n{}", attempt.step->id, *script));
  ended_.push_back({attempt.step->id, run::Success{}});
}

run::Event DryRunner::wait(std::chrono::steady_clock::time_point /*deadline*/) {
  if (ended_.empty()) return run::Deadline{};
  run::Completed next = std::move(ended_.front());
  ended_.pop_front();
  return next;
}

}  // namespace pinwheel::host
