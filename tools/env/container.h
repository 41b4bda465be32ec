#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ports/process.h"

namespace pinwheel::env {

enum class Access { read_only, read_write };

/// A file or directory of the host that a container sees.
struct ContainerMount {
  std::string from;
  std::string at;
  Access access = Access::read_only;

  bool operator==(const ContainerMount&) const = default;
};

enum class GpuAccess { none, all };
enum class AfterEnd { remove, keep };
/// What of pinwheel's own streams the program gets.
enum class Attached { output, streams, terminal };

/// What the containers of one step share.
struct Container {
  std::string client;                              ///< path of the docker or podman program
  std::string image;                               ///< by id: a name could be moved or pulled
  std::vector<std::string> image_variables = {};   ///< names that the image sets
  std::map<std::string, std::string> labels = {};  ///< by which a later run finds what was left
  std::string user = {};                           ///< "1000:1000": results belong to the caller
  std::vector<ContainerMount> mounts = {};
  std::string network = {};   ///< empty: the engine's own
  std::string platform = {};  ///< "linux/arm64", of an image for another machine; empty: its own
  GpuAccess gpus = GpuAccess::none;
  AfterEnd after_end = AfterEnd::remove;
  Attached attached = Attached::output;
};

/// The client's command that runs `command` in a new container called `name`. The program sees
/// exactly the command's environment: what the image sets is taken away. `client_variables` is the
/// client's own (DOCKER_HOST, HOME); values of the program's go through the client's environment,
/// so that none shows in a process list, save those whose names the client reads itself. Never
/// pulls. Source: the reference of `docker run`; podman takes the same arguments.
ports::Command run_in_container(const Container& container, const std::string& name,
                                const ports::Command& command,
                                const std::map<std::string, std::string>& client_variables);

/// Ends and removes a container whether it runs or not; one that does not exist is no failure.
ports::Command remove_container(const std::string& client, const std::string& name,
                                const std::map<std::string, std::string>& client_variables);

/// Ends a container and leaves it to be looked at.
ports::Command stop_container(const std::string& client, const std::string& name,
                              const std::map<std::string, std::string>& client_variables);

/// Lists the names of all containers that bear a label, one a line.
ports::Command list_containers(const std::string& client, const std::string& label,
                               const std::map<std::string, std::string>& client_variables);

/// Of the user's environment what the client itself reads: where its engine and its settings are.
std::map<std::string, std::string> client_variables(const std::map<std::string, std::string>& user);

/// Paths of this machine that variables and configuration files of pip, CUDA and the like name:
/// every absolute path and `file://` address among the words of `text`, once.
std::vector<std::string> paths_in(std::string_view text);

/// The user's environment as a container sees it: what the image sets for itself (PATH, CUDA_HOME)
/// takes the place of the user's, and HOME is `home`, which exists inside.
std::map<std::string, std::string> contained_variables(
    std::map<std::string, std::string> user, const std::map<std::string, std::string>& image,
    const std::string& home);

/// A valid container name: `text` with every other character than letters, digits and `_.-`
/// replaced.
std::string container_name(const std::string& text);

}  // namespace pinwheel::env
