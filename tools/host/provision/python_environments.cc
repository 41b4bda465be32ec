#include "host/provision/python_environments.h"

#include <fmt/format.h>

#include <functional>
#include <memory>

#include "base/text.h"
#include "env/commands.h"
#include "env/environment_marker.h"
#include "env/gpu_packages.h"
#include "host/provision/complete_directory.h"
#include "host/provision/conda_prefix.h"
#include "host/provision/env_pip.h"
#include "host/provision/machine_interpreter.h"
#include "host/provision/shared_packages.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRequirements = "pinwheel-requirements.txt";

fs::path root_of(const EnvMachine& machine) {
  return machine.cache / "environments";
}

/// Installs what is not shared.
Done install(const EnvMachine& machine, const env::Pip& pip, const BaseEnvironment& base,
             const env::Resolution& remaining) {
  const auto part = [&](env::TorchPart which, const std::string& index) -> Done {
    const std::string text = env::requirements_text(remaining, which);
    if (text.empty()) return {};
    const fs::path file = base.directory / kRequirements;
    TRY_DONE(machine.files.write(file, text));
    return run_pip(machine, env::install_exact(pip, base.python, file.string(), index),
                   "installing the environment");
  };
  // The extra index is only for torch: anybody could register any other name there.
  TRY_DONE(part(env::TorchPart::only, base.resolution.torch_index));
  TRY_DONE(part(env::TorchPart::without, {}));
  // What is shared must not show in an environment: two of them at one path are identical.
  TRY_DONE(machine.files.remove_all(base.directory / kRequirements));
  for (const env::PipPackage& package : base.resolution.absent) {
    for (const auto& [name, text] : env::files_of_absent(package)) {
      TRY_DONE(machine.files.write(fs::path(base.site_packages) / name, text));
    }
  }
  return {};
}

/// `torch_shared` is called when no other process needs to wait for this environment.
Result<env::EnvironmentMarker> make(const EnvMachine& machine, const BaseEnvironment& base,
                                    const std::function<void()>& torch_shared) {
  TRY(const env::Pip pip, own_pip(machine, base.interpreter));
  TRY_DONE(run_venv(machine,
                    env::make_venv(base.interpreter, base.directory.string(),
                                   env::bundled_pip(base.purpose), pip.variables),
                    base.directory.string()));
  const env::Resolution remaining = share_packages(machine, base);
  if (remaining.find("torch") == nullptr) torch_shared();
  TRY_DONE(check_space(machine, base.directory, env::bytes_needed(remaining), "the environment"));
  TRY_DONE(install(machine, pip, base, remaining));
  return env::EnvironmentMarker{base.interpreter.path, base.resolution, 0, {}};
}

}  // namespace

Result<BaseEnvironment> create_environment(const EnvMachine& machine, const env::Request& request,
                                           const env::Resolution& resolution) {
  BaseEnvironment base;
  if (resolution.conda.empty()) {
    TRY(base.interpreter, interpreter_for(machine, request.python));
  } else {
    TRY(CondaPrefix prefix, make_conda_prefix(machine, request.python, resolution.conda));
    base.conda = std::move(prefix.directory);
    base.interpreter = std::move(prefix.interpreter);
  }
  if (env::full_version(base.interpreter) != resolution.python) {
    return fail(ErrorKind::environment,
                fmt::format("the packages were resolved for Python {}, but this machine has {}",
                            resolution.python, env::full_version(base.interpreter)),
                "install that Python, or resolve again with `--refresh`");
  }
  base.resolution = resolution;
  base.purpose = request.purpose;
  base.id = env::environment_id(resolution, base.interpreter, base.purpose);
  base.directory = root_of(machine) / base.id;
  base.python = env::venv_python(base.directory.string());
  base.site_packages = env::site_packages(base.directory.string(), base.interpreter);
  TRY(const bool there, is_complete(machine, base.directory));
  std::unique_ptr<ports::FileLock> turn;
  if (!there) {
    TRY(turn, wait_for_torch(machine, root_of(machine), resolution));
  }
  const auto make_or_remove = [&] {
    Result<env::EnvironmentMarker> made = make(machine, base, [&turn] { turn.reset(); });
    // A partial environment is useless and may be gigabytes; only the original error is reported.
    if (!made) static_cast<void>(machine.files.remove_all(base.directory));
    return made;
  };
  TRY_DONE(make_once(machine, base.directory, make_or_remove));
  return base;
}

Result<bool> has_environment(const EnvMachine& machine, const env::Resolution& resolution,
                             const env::Interpreter& interpreter, env::Purpose purpose) {
  return is_complete(machine,
                     root_of(machine) / env::environment_id(resolution, interpreter, purpose));
}

}  // namespace pinwheel::host
