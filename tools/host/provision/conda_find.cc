#include "host/provision/conda_find.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>

#include "base/digest.h"
#include "base/text.h"
#include "env/commands.h"
#include "env/environment_marker.h"
#include "env/pass_list.h"
#include "host/provision/complete_directory.h"
#include "host/provision/env_pip.h"
#include "host/provision/interpreters.h"
#include "host/system/program.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

// Newest first: the venv is made once, and any of them will do.
constexpr std::array<const char*, 5> kPythons = {"3.13", "3.12", "3.11", "3.10", "3.14"};

/// The client at a path or with a name on PATH; `environment` if it does not run.
Result<conda::CondaClient> ask(const EnvMachine& machine, const std::string& name) {
  TRY(const std::string program, find_program(name, machine.variables));
  ports::Command command{
      {program, "--version"}, "/", env::variables_for(env::Helper::conda, machine.variables)};
  command.timeout = std::chrono::seconds(60);
  TRY(const ports::Captured ran, machine.process.capture(command));
  if (ran.exit.canceled)
    return fail(ErrorKind::interrupted, "the search for conda was interrupted");
  conda::CondaClient client{.kind = conda::conda_kind(program), .program = program};
  // Old clients print their version to stderr.
  client.version = conda::parse_conda_version(client.kind, ran.out + "\n" + ran.err);
  if (ran.exit.ok() && !client.version.empty()) return client;
  return fail(ErrorKind::environment,
              fmt::format("{} is not a working conda client", pinwheel::quoted(program)),
              std::string(trim(ran.err)));
}

Result<conda::CondaClient> named_client(const EnvMachine& machine, const std::string& name) {
  if (name == to_string(conda::CondaKind::rattler)) return conda::CondaClient{};
  Result<conda::CondaClient> client = ask(machine, name);
  if (!client) {
    Error error = std::move(client).error();
    if (error.hint.empty()) error.hint = "set PINWHEEL_CONDA to a program, or to `rattler`";
    return fail(std::move(error));
  }
  if (conda::is_recent(*client)) return client;
  return fail(ErrorKind::environment,
              fmt::format("{} is {} {}, which is too old", pinwheel::quoted(client->program),
                          to_string(client->kind), client->version),
              "use conda 4.10, mamba 1.0 or micromamba 1.0 or newer; `PINWHEEL_CONDA=rattler` "
              "needs none of them");
}

fs::path rattler_directory(const EnvMachine& host) {
  return host.cache / "tools" /
         ("rattler-" + sha256_hex(std::string(conda::rattler_requirement())).substr(0, 12));
}

Result<env::Interpreter> python_for_rattler(const EnvMachine& host) {
  std::optional<Error> last;
  for (const char* const version : kPythons) {
    Result<env::Interpreter> found = interpreter_for(host, version);
    if (found) return found;
    last = std::move(found).error();
  }
  last->message = fmt::format("{} needs CPython 3.10 or newer", conda::rattler_requirement());
  return fail(std::move(*last));
}

Result<env::EnvironmentMarker> install(const EnvMachine& host, const fs::path& directory) {
  TRY(const env::Interpreter interpreter, python_for_rattler(host));
  const env::Variables variables = env::pip_variables(host.variables);
  TRY_DONE(run_venv(
      host, env::make_venv(interpreter, directory.string(), env::WithPip::bundled, variables),
      directory.string()));
  TRY_DONE(run_pip(host, conda::install_rattler(env::venv_python(directory.string()), variables),
                   fmt::format("installing {}", conda::rattler_requirement())));
  return env::EnvironmentMarker{interpreter.path, {}, 0, {}};
}

}  // namespace

std::vector<conda::CondaClient> list_conda_clients(const EnvMachine& machine) {
  const EnvMachine& host = host_of(machine);
  std::vector<conda::CondaClient> found;
  for (const std::string& name :
       {value_at(host.variables, "MAMBA_EXE"), std::string("micromamba"), std::string("mamba"),
        value_at(host.variables, "CONDA_EXE"), std::string("conda")}) {
    if (name.empty()) continue;
    const Result<conda::CondaClient> client = ask(host, name);
    if (!client) continue;
    const bool known = std::any_of(found.begin(), found.end(), [&client](const auto& other) {
      return other.program == client->program;
    });
    if (!known) found.push_back(*client);
  }
  return found;
}

Result<conda::CondaClient> find_conda_client(const EnvMachine& machine) {
  const EnvMachine& host = host_of(machine);
  const std::string named = value_at(host.variables, "PINWHEEL_CONDA");
  if (!named.empty()) return named_client(host, named);
  const std::vector<conda::CondaClient> found = list_conda_clients(host);
  const auto recent = std::find_if(found.begin(), found.end(), conda::is_recent);
  return recent == found.end() ? conda::CondaClient{} : *recent;
}

Result<conda::CondaClient> ready_conda_client(const EnvMachine& machine) {
  const EnvMachine& host = host_of(machine);
  TRY(conda::CondaClient client, find_conda_client(host));
  if (client.kind != conda::CondaKind::rattler) return client;
  const fs::path directory = rattler_directory(host);
  TRY_DONE(make_once(host, directory, [&] { return install(host, directory); }));
  client.program = env::venv_python(directory.string());
  return client;
}

std::optional<std::string> conda_notice(const EnvMachine& machine) {
  const EnvMachine& host = host_of(machine);
  const Result<conda::CondaClient> client = find_conda_client(host);
  if (!client || client->kind != conda::CondaKind::rattler) return std::nullopt;
  const fs::path directory = rattler_directory(host);
  if (is_complete(host, directory).value_or(false)) return std::nullopt;
  return fmt::format("installing {} from PyPI into {} as the conda client",
                     pinwheel::quoted(std::string(conda::rattler_requirement())),
                     pinwheel::quoted(directory.string()));
}

}  // namespace pinwheel::host
