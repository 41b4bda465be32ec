#pragma once
#include <map>
#include <optional>
#include <string>

#include "base/result.h"
#include "env/engine.h"
#include "ports/files.h"
#include "ports/process.h"

namespace pinwheel::host {

enum class BuildKit { present, missing };

/// A container engine that answers.
struct ContainerEngine {
  std::string client;                            ///< path of the program
  std::string version;                           ///< of the client, "20.10.24"
  std::map<std::string, std::string> variables;  ///< the client's own
  BuildKit buildkit = BuildKit::present;
};

/// The client that `find_engine` would take, whether or not its engine answers; none for an
/// `engine` that has no client.
std::optional<ContainerEngine> find_client(ports::Files& files, ports::Process& process,
                                           env::Engine engine,
                                           const std::map<std::string, std::string>& variables);

/// The first client of that engine on PATH that can build images, if its engine answers. Docker's
/// clients since 23 build by a plugin that is installed apart, so an older one further down PATH is
/// preferred to one without. `environment`, with a hint, when there is no client or its engine
/// does not answer; `internal` when the engine runs no containers.
Result<ContainerEngine> find_engine(ports::Files& files, ports::Process& process,
                                    env::Engine engine,
                                    const std::map<std::string, std::string>& variables);

}  // namespace pinwheel::host
