#include "host/provision/conda_find.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/text.h"
#include "env/pass_list.h"
#include "host/provision/own_tool.h"
#include "host/system/program.h"

namespace pinwheel::host {
namespace {

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

OwnTool rattler() {
  const std::string requirement(conda::rattler_requirement());
  return {"rattler", requirement, requirement + "\n"};
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
  TRY(client.program, own_tool_python(host, rattler()));
  return client;
}

std::optional<std::string> conda_notice(const EnvMachine& machine) {
  const EnvMachine& host = host_of(machine);
  const Result<conda::CondaClient> client = find_conda_client(host);
  if (!client || client->kind != conda::CondaKind::rattler) return std::nullopt;
  if (!is_own_tool_missing(host, rattler())) return std::nullopt;
  return fmt::format("installing {} from PyPI into {} as the conda client",
                     pinwheel::quoted(std::string(conda::rattler_requirement())),
                     pinwheel::quoted(own_tool_directory(host, rattler()).string()));
}

}  // namespace pinwheel::host
