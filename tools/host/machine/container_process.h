#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "container/container.h"
#include "host/machine/container_watch.h"
#include "ports/process.h"

namespace pinwheel::host {

/// Child processes inside containers: each command gets a new container of the same image, with the
/// same mounts plus the command's own, which is always removed before the call returns. Only files
/// in the mounts remain. Calls may run concurrently.
///
/// The memory and processor time of an exit are those of the container
/// (host/machine/container_watch says when they are known), never those of the engine's client;
/// without `measure`, neither is known.
///
/// Error kinds in addition to those of a program that ran: `environment` if the engine could not
/// run it (the image or the program is missing, the daemon does not respond).
class ContainerProcess final : public ports::Process {
 public:
  /// `engine` runs the client and may be canceled; `cleaner` removes containers and must not be.
  /// Both must outlive the object. Containers are named `name` plus a number.
  ContainerProcess(ports::Process& engine, ports::Process& cleaner, container::Container container,
                   const std::string& name, std::map<std::string, std::string> client_variables);

  /// From now on, `capture` and `log` measure containers, and call `on_end` with every exit that
  /// they return. `scratch` is a directory for temporary files, in which the client can write too.
  void measure(std::filesystem::path scratch, std::function<void(const ports::Exit& exit)> on_end);

  /// From now on, while containers are measured, calls this with the first process of each one, on
  /// a thread that ends before the command does. Not called while a command runs.
  void report_running(OnRunning on_running);

  Result<ports::Captured> capture(const ports::Command& command) override;
  Result<ports::Exit> log(const ports::Command& command, const std::filesystem::path& log) override;
  /// The same, with pinwheel's own streams (host/system/foreground.h); the container is always
  /// removed.
  Result<ports::Exit> foreground(const ports::Command& command, container::Attached attached);

 private:
  /// Measures the container that `client` makes from now on. Null if nothing is measured.
  std::unique_ptr<ContainerWatch> begin_watch(ports::Command& client) const;
  /// The exit of the program, from that of the client and what its container has used.
  ports::Exit program_exit(ports::Exit exit, const ContainerUsage& usage) const;
  std::string next_name() const;
  void remove(const std::string& name, const ports::Exit& exit) const;

  ports::Process& engine_;
  ports::Process& cleaner_;
  container::Container container_;
  std::string name_;
  std::map<std::string, std::string> client_variables_;
  std::filesystem::path scratch_;
  std::function<void(const ports::Exit&)> on_end_;
  OnRunning on_running_;
};

}  // namespace pinwheel::host
