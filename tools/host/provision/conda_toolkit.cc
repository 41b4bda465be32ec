#include "host/provision/conda_toolkit.h"

#include <fmt/format.h>

#include <optional>

#include "base/text.h"
#include "env/conda_toolkit.h"
#include "env/pass_list.h"
#include "host/machine/machine_name.h"
#include "host/provision/complete_directory.h"
#include "host/provision/conda_prefix.h"
#include "host/provision/env_resolve.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

/// The compiler of the prefix must start here, and have the version of the class.
Result<env::Toolkit> ask_compiler(const EnvMachine& machine, const env::Request& request,
                                  const fs::path& prefix) {
  const bool cuda = request.toolkit.starts_with("cuda/");
  const fs::path program = prefix / "bin" / (cuda ? "nvcc" : "hipcc");
  ports::Command command{{program.string(), "--version"},
                         "/",
                         env::variables_for(env::Helper::compiler, machine.variables),
                         {}};
  command.environment["HIP_PLATFORM"] = "amd";
  command.timeout = std::chrono::seconds(30);
  TRY(const ports::Captured ran, machine.process.capture(command));
  if (ran.exit.canceled) return fail(ErrorKind::interrupted, "querying nvcc was interrupted");
  const std::optional<std::string> release =
      cuda ? env::parse_nvcc_release(ran.out) : env::parse_hip_release(ran.out);
  if (!ran.exit.ok() || !release) {
    return fail(ErrorKind::environment,
                fmt::format("the conda packages of {} contain no compiler that starts here: {}",
                            pinwheel::quoted(request.toolkit), pinwheel::quoted(program.string())),
                std::string(trim(ran.err)));
  }
  env::Toolkit toolkit =
      env::conda_toolkit(request.toolkit, prefix.string(), *release, machine_name());
  if (toolkit.name == env::toolkit_name(request.toolkit)) return toolkit;
  return fail(ErrorKind::environment,
              fmt::format("the conda packages contain {} {}, but the class is built for {}",
                          cuda ? "nvcc" : "hipcc", *release, pinwheel::quoted(request.toolkit)),
              "pin the version in `environment.conda.toolkit`");
}

}  // namespace

Result<env::Toolkit> make_conda_toolkit(const EnvMachine& machine, const env::Request& request) {
  TRY(const env::Request packages, env::conda_toolkit_request(request));
  const Result<env::Resolution> recorded = load_resolution(machine, env::digest(packages));
  if (!recorded) {
    return fail(ErrorKind::environment,
                fmt::format("the toolkit {} from conda is not resolved", quoted(request.toolkit)),
                recorded.error().message);
  }
  const fs::path directory = machine.cache / "toolkits" /
                             env::conda_toolkit_id(env::toolkit_name(request.toolkit), *recorded);
  const auto make = [&]() -> Result<env::EnvironmentMarker> {
    TRY(const std::string client, install_conda_packages(machine, recorded->conda, directory));
    TRY(const env::Toolkit made, ask_compiler(machine, request, directory));
    return env::EnvironmentMarker{client, *recorded, 0, {}};
  };
  TRY_DONE(make_once(machine, directory, make));
  return ask_compiler(machine, request, directory);
}

}  // namespace pinwheel::host
