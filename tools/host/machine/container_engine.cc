#include "host/machine/container_engine.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <set>
#include <vector>

#include "base/parallel.h"
#include "base/parse_integer.h"
#include "base/text.h"
#include "container/container.h"
#include "container/engine.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;
using Variables = std::map<std::string, std::string>;

// A hung daemon must not hang pinwheel, and neither must a client that hangs on its own
// configuration: `--version` asks no daemon.
constexpr std::chrono::seconds kAnswerTime(20);
constexpr std::chrono::seconds kVersionTime(4);
constexpr std::string_view kNoAnswer = "it did not respond in time";

std::vector<std::string> clients_on_path(ports::Files& files, std::string_view name,
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
                            std::vector<std::string> argv,
                            std::chrono::seconds time = kAnswerTime) {
  return process.capture({std::move(argv), "/", variables, time});
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

std::optional<ContainerEngine> client_at(ports::Process& process,
                                         const container::EngineClient& kind,
                                         const std::string& program, const Variables& variables) {
  const Result<ports::Captured> captured =
      ask(process, variables, {program, "--version"}, kVersionTime);
  if (captured && captured->exit.timed_out) {
    return ContainerEngine{program, {}, variables, BuildKit::missing};
  }
  if (!captured || !captured->exit.ok()) return std::nullopt;
  ContainerEngine client{program, version_in(captured->out), variables};
  if (kind.plugin_since == 0) return client;
  const std::optional<int> major =
      parse_integer(client.version.substr(0, client.version.find('.')));
  if (!major || *major < kind.plugin_since) return client;
  const Result<ports::Captured> plugin = ask(process, variables, {program, "buildx", "version"});
  if (!plugin || !plugin->exit.ok()) client.buildkit = BuildKit::missing;
  return client;
}

Done check_answer(ports::Process& process, const container::EngineClient& kind,
                  const ContainerEngine& client) {
  if (client.version.empty()) {
    return fail(
        ErrorKind::environment,
        fmt::format("{} printed no version: {}", pinwheel::quoted(client.client), kNoAnswer),
        "run it by hand: its own configuration may make it hang");
  }
  TRY(const ports::Captured captured,
      ask(process, client.variables,
          {client.client, "version", "--format", std::string(kind.version_format)}));
  if (captured.exit.ok()) return {};
  if (captured.exit.canceled)
    return fail(ErrorKind::interrupted, "the search for a container engine was interrupted");
  const std::string why(captured.exit.timed_out ? kNoAnswer : trim(captured.err));
  return fail(ErrorKind::environment,
              fmt::format("{} does not respond: {}", pinwheel::quoted(client.client), why),
              std::string(kind.start_hint));
}

std::optional<ContainerEngine> best_client(ports::Files& files, ports::Process& process,
                                           const container::EngineClient& kind,
                                           const Variables& variables) {
  const std::vector<std::string> programs = clients_on_path(files, kind.program, variables);
  std::vector<std::optional<ContainerEngine>> clients(programs.size());
  // The same configuration makes all of them hang.
  run_jobs(std::vector<uint64_t>(programs.size(), 1), {static_cast<unsigned>(programs.size())},
           [&](size_t i) {
             clients[i] =
                 client_at(process, kind, programs[i], container::client_variables(variables));
           });
  std::optional<ContainerEngine> best;
  for (const std::optional<ContainerEngine>& client : clients) {
    if (!client) continue;
    if (!best || best->version.empty()) best = client;
    if (client->buildkit == BuildKit::missing) continue;
    best = client;
    break;
  }
  return best;
}

}  // namespace

std::optional<ContainerEngine> find_client(ports::Files& files, ports::Process& process,
                                           container::Engine engine, const Variables& variables) {
  const std::optional<container::EngineClient> kind = container::client_of(engine);
  return kind ? best_client(files, process, *kind, variables) : std::nullopt;
}

Result<ContainerEngine> find_engine(ports::Files& files, ports::Process& process,
                                    container::Engine engine, const Variables& variables) {
  const std::optional<container::EngineClient> kind = container::client_of(engine);
  if (!kind) {
    return fail(ErrorKind::internal,
                fmt::format("the engine {} runs no containers", quoted(to_string(engine))));
  }
  const std::optional<ContainerEngine> best = best_client(files, process, *kind, variables);
  if (!best) {
    return fail(ErrorKind::environment,
                fmt::format("there is no {} on PATH", quoted(kind->program)),
                fmt::format("install it ({}), or use `--engine host`",
                            quoted(fmt::format("apt-get install {}", kind->package))));
  }
  TRY_DONE(check_answer(process, *kind, *best));
  return *best;
}

}  // namespace pinwheel::host
