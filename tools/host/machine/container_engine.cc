#include "host/machine/container_engine.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <set>
#include <vector>

#include "base/text.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;
using Variables = std::map<std::string, std::string>;

// A daemon that hangs must not hang pinwheel.
constexpr std::chrono::seconds kAnswerTime(20);

const char* name_of(env::Engine engine) {
  return engine == env::Engine::podman ? "podman" : "docker";
}

std::vector<std::string> clients_on_path(ports::Files& files, const std::string& name,
                                         const Variables& variables) {
  std::vector<std::string> found;
  std::set<fs::path> real;
  for (const std::string& directory : split(value_at(variables, "PATH"), ':')) {
    if (directory.empty()) continue;
    const fs::path program = fs::path(directory) / name;
    const Result<ports::FileStatus> status = files.status(program);
    if (!status || status->type == ports::FileType::missing) continue;
    std::error_code ignored;
    if (real.insert(fs::canonical(program, ignored)).second) found.push_back(program.string());
  }
  return found;
}

Result<ports::Captured> ask(ports::Process& process, const Variables& variables,
                            std::vector<std::string> argv) {
  return process.capture({std::move(argv), "/", variables, kAnswerTime});
}

/// "Docker version 20.10.24+dfsg1, build 297e128", "podman version 4.3.1".
std::string version_in(const std::string& text) {
  for (const std::string& word : split(trim(text), ' ')) {
    if (!word.empty() && word[0] >= '0' && word[0] <= '9') {
      return word.substr(0, word.find_first_of(",+"));
    }
  }
  return {};
}

std::optional<ContainerEngine> client_at(ports::Process& process, env::Engine engine,
                                         const std::string& program, const Variables& variables) {
  const Result<ports::Captured> said = ask(process, variables, {program, "--version"});
  if (!said || !said->exit.ok()) return std::nullopt;
  ContainerEngine client{program, version_in(said->out), variables};
  if (engine == env::Engine::podman) return client;
  constexpr int kFirstWithPlugin = 23;
  const std::string major = client.version.substr(0, client.version.find('.'));
  if (major.empty() || std::stoi(major) < kFirstWithPlugin) return client;
  const Result<ports::Captured> plugin = ask(process, variables, {program, "buildx", "version"});
  if (!plugin || !plugin->exit.ok()) client.buildkit = BuildKit::missing;
  return client;
}

Done check_answer(ports::Process& process, env::Engine engine, const ContainerEngine& client) {
  const std::string wanted =
      engine == env::Engine::podman ? "{{.Client.Version}}" : "{{.Server.Version}}";
  TRY(const ports::Captured said,
      ask(process, client.variables, {client.client, "version", "--format", wanted}));
  if (said.exit.ok()) return {};
  if (said.exit.cancelled)
    return fail(ErrorKind::interrupted, "looking for the engine was stopped");
  const std::string why(said.exit.timed_out ? "it did not answer in time" : trim(said.err));
  return fail(ErrorKind::environment,
              fmt::format("{} does not answer: {}", pinwheel::quoted(client.client), why),
              engine == env::Engine::podman
                  ? "`podman info` shows what is wrong"
                  : "start the daemon (`systemctl start docker`), or name its socket in "
                    "`DOCKER_HOST`");
}

}  // namespace

std::optional<ContainerEngine> find_client(ports::Files& files, ports::Process& process,
                                           env::Engine engine, const Variables& variables) {
  const std::string name = name_of(engine);
  std::optional<ContainerEngine> best;
  for (const std::string& program : clients_on_path(files, name, variables)) {
    const std::optional<ContainerEngine> client =
        client_at(process, engine, program, env::client_variables(variables));
    if (!client) continue;
    if (!best) best = client;
    if (client->buildkit == BuildKit::missing) continue;
    best = client;
    break;
  }
  return best;
}

Result<ContainerEngine> find_engine(ports::Files& files, ports::Process& process,
                                    env::Engine engine, const Variables& variables) {
  const std::string name = name_of(engine);
  const std::optional<ContainerEngine> best = find_client(files, process, engine, variables);
  if (!best) {
    return fail(ErrorKind::environment, fmt::format("there is no `{}` on PATH", name),
                fmt::format("install it (`apt-get install {}`), or use `--engine host`",
                            engine == env::Engine::podman ? "podman" : "docker.io"));
  }
  TRY_DONE(check_answer(process, engine, *best));
  return *best;
}

}  // namespace pinwheel::host
