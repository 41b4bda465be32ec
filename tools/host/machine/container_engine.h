#pragma once
#include <map>
#include <optional>
#include <string>

#include "base/result.h"
#include "container/engine.h"
#include "ports/files.h"
#include "ports/process.h"

namespace pinwheel::host {

enum class BuildKit { present, missing };

/// A client of a container engine.
struct ContainerEngine {
  std::string client;   ///< path of the program
  std::string version;  ///< of the client, "20.10.24"; empty: it did not print one in time
  std::map<std::string, std::string> variables;  ///< the client's own
  BuildKit buildkit = BuildKit::present;
};

/// The client that `find_engine` would use, whether or not its engine responds; nullopt for an
/// `engine` without a client.
std::optional<ContainerEngine> find_client(ports::Files& files, ports::Process& process,
                                           container::Engine engine,
                                           const std::map<std::string, std::string>& variables);

/// The first client of that engine on PATH that can build images, if its engine responds. Since
/// version 23 Docker's client needs a separate plugin to build, so an older client later on PATH is
/// preferred to one without the plugin. `environment`, with a hint, if there is no client or its
/// engine does not respond; `internal` if the engine runs no containers.
Result<ContainerEngine> find_engine(ports::Files& files, ports::Process& process,
                                    container::Engine engine,
                                    const std::map<std::string, std::string>& variables);

}  // namespace pinwheel::host
