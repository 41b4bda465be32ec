#include "host/provision/python_environments.h"

#include <fmt/format.h>

#include "base/text.h"
#include "env/commands.h"
#include "env/environment_marker.h"
#include "env/gpu_packages.h"
#include "host/provision/complete_directory.h"
#include "host/provision/conda_prefix.h"
#include "host/provision/env_pip.h"
#include "host/provision/machine_interpreter.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

fs::path root_of(const EnvMachine& machine) {
  return machine.cache / "environments";
}

Done install(const EnvMachine& machine, const env::Pip& pip, const BaseEnvironment& base) {
  const auto part = [&](env::TorchPart which, const std::string& index) -> Done {
    const std::string text = env::requirements_text(base.resolution, which);
    if (text.empty()) return {};
    const fs::path file = base.directory / "pinwheel-requirements.txt";
    TRY_DONE(machine.files.write(file, text));
    return run_pip(machine, env::install_exact(pip, base.python, file.string(), index),
                   "installing the environment");
  };
  // The extra index is only for torch: anybody could register any other name there.
  TRY_DONE(part(env::TorchPart::only, base.resolution.torch_index));
  TRY_DONE(part(env::TorchPart::without, {}));
  for (const env::PipPackage& package : base.resolution.absent) {
    for (const auto& [name, text] : env::files_of_absent(package)) {
      TRY_DONE(machine.files.write(fs::path(base.site_packages) / name, text));
    }
  }
  return {};
}

Result<env::EnvironmentMarker> make(const EnvMachine& machine, const BaseEnvironment& base) {
  TRY_DONE(
      check_space(machine, base.directory, env::bytes_needed(base.resolution), "the environment"));
  TRY(const env::Pip pip, own_pip(machine, base.interpreter));
  TRY_DONE(run_venv(machine,
                    env::make_venv(base.interpreter, base.directory.string(),
                                   env::bundled_pip(base.purpose), pip.variables),
                    base.directory.string()));
  TRY_DONE(install(machine, pip, base));
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
  const auto make_or_remove = [&] {
    Result<env::EnvironmentMarker> made = make(machine, base);
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
