#include "host/provision/own_tool.h"

#include <fmt/format.h>

#include <array>
#include <optional>

#include "base/digest.h"
#include "env/commands.h"
#include "env/environment_marker.h"
#include "host/provision/complete_directory.h"
#include "host/provision/env_pip.h"
#include "host/provision/interpreters.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

// Newest first: the venv is made once, and any of them will do.
constexpr std::array<const char*, 5> kPythons = {"3.13", "3.12", "3.11", "3.10", "3.14"};

Result<env::Interpreter> python_for(const EnvMachine& host, const OwnTool& tool) {
  std::optional<Error> last;
  for (const char* const version : kPythons) {
    Result<env::Interpreter> found = interpreter_for(host, version);
    if (found) return found;
    last = std::move(found).error();
  }
  last->message = fmt::format("{} needs CPython 3.10 or newer", tool.label);
  return fail(std::move(*last));
}

Result<env::EnvironmentMarker> install_tool(const EnvMachine& host, const OwnTool& tool,
                                            const fs::path& directory) {
  TRY(const env::Interpreter interpreter, python_for(host, tool));
  const env::Variables variables = env::pip_variables(host.variables);
  TRY_DONE(run_venv(
      host, env::make_venv(interpreter, directory.string(), env::WithPip::bundled, variables),
      directory.string()));
  const fs::path packages = directory / "packages.txt";
  TRY_DONE(host.files.write(packages, tool.packages));
  ports::Command command;
  command.argv = env::pip_argv(env::venv_python(directory.string()),
                               {"install", "--only-binary", ":all:", "-r", packages.string()});
  command.environment = variables;
  TRY_DONE(run_pip(host, command, fmt::format("installing {}", tool.label)));
  return env::EnvironmentMarker{interpreter.path, {}, 0, {}};
}

}  // namespace

fs::path own_tool_directory(const EnvMachine& machine, const OwnTool& tool) {
  return host_of(machine).cache / "tools" /
         fmt::format("{}-{}", tool.name, sha256_hex(tool.packages).substr(0, 12));
}

Result<std::string> own_tool_python(const EnvMachine& machine, const OwnTool& tool) {
  const EnvMachine& host = host_of(machine);
  const fs::path directory = own_tool_directory(host, tool);
  TRY_DONE(make_once(host, directory, [&] { return install_tool(host, tool, directory); }));
  return env::venv_python(directory.string());
}

bool is_own_tool_missing(const EnvMachine& machine, const OwnTool& tool) {
  const EnvMachine& host = host_of(machine);
  return !is_complete(host, own_tool_directory(host, tool)).value_or(false);
}

}  // namespace pinwheel::host
