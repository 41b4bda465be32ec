#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ports/process.h"

namespace pinwheel::container {

enum class Access { read_only, read_write };

/// A file or directory of the host that is mounted into a container.
struct ContainerMount {
  std::string from;
  std::string at;
  Access access = Access::read_only;

  bool operator==(const ContainerMount&) const = default;
};

enum class GpuAccess { none, all };
enum class AfterEnd { remove, keep };
/// The streams of pinwheel that the program gets.
enum class Attached { output, streams, terminal };

/// The properties shared by all containers of one step.
struct Container {
  std::string client;                              ///< path of the docker or podman program
  std::string image;                               ///< by id: a name could be retagged or pulled
  std::vector<std::string> image_variables = {};   ///< names of variables that the image sets
  std::map<std::string, std::string> labels = {};  ///< for a later run to find leftover containers
  std::string user = {};                           ///< "1000:1000": results belong to the caller
  std::vector<ContainerMount> mounts = {};
  std::string network = {};   ///< empty: the engine's default
  std::string platform = {};  ///< "linux/arm64", for an image of another machine; empty: native
  GpuAccess gpus = GpuAccess::none;
  AfterEnd after_end = AfterEnd::remove;
  Attached attached = Attached::output;
};

/// The client's command that runs `command` in a new container called `name`. The program sees
/// exactly the command's environment: variables that the image sets are removed. `client_variables`
/// is the client's own environment (DOCKER_HOST, HOME); the program's values are passed through it,
/// so that none shows in a process list, except those whose names the client reads itself. Never
/// pulls. Source: the reference of `docker run`; podman takes the same arguments.
ports::Command run_in_container(const Container& container, const std::string& name,
                                const ports::Command& command,
                                const std::map<std::string, std::string>& client_variables);

/// The same, where the client writes the container's id to a file when it has made the container.
/// The client refuses a file that exists. Podman removes it together with the container.
ports::Command with_id_file(ports::Command run, const std::string& file);

/// Kills and removes a container, running or not; it is not an error if it does not exist.
ports::Command remove_container(const std::string& client, const std::string& name,
                                const std::map<std::string, std::string>& client_variables);

/// Kills a container without removing it, for inspection.
ports::Command stop_container(const std::string& client, const std::string& name,
                              const std::map<std::string, std::string>& client_variables);

/// Lists the names of all containers with a label, one per line.
ports::Command list_containers(const std::string& client, const std::string& label,
                               const std::map<std::string, std::string>& client_variables);

/// The part of the user's environment that the client itself reads: the address of its engine and
/// its settings.
std::map<std::string, std::string> client_variables(const std::map<std::string, std::string>& user);

/// Paths of this machine in a variable or configuration file of pip, CUDA and so on: every absolute
/// path and `file://` URL in `text`, without duplicates.
std::vector<std::string> paths_in(std::string_view text);

/// The user's environment as a container sees it: variables of the image (PATH, CUDA_HOME) replace
/// the user's, and HOME is `home`, which exists inside.
std::map<std::string, std::string> contained_variables(
    std::map<std::string, std::string> user, const std::map<std::string, std::string>& image,
    const std::string& home);

/// A valid container name: `text` with every character except letters, digits and `_.-` replaced.
std::string container_name(const std::string& text);

}  // namespace pinwheel::container
