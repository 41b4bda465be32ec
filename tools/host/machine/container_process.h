#pragma once
#include <filesystem>
#include <map>
#include <string>

#include "container/container.h"
#include "ports/process.h"

namespace pinwheel::host {

/// Child processes inside containers: each command gets a new container of the same image, with the
/// same mounts plus the command's own, which is always removed before the call returns. Only files
/// in the mounts remain. Calls may run concurrently.
///
/// Error kinds in addition to those of a program that ran: `environment` if the engine could not
/// run it (the image or the program is missing, the daemon does not respond).
class ContainerProcess final : public ports::Process {
 public:
  /// `engine` runs the client and may be canceled; `cleaner` removes containers and must not be.
  /// Both must outlive the object. Containers are named `name` plus a number.
  ContainerProcess(ports::Process& engine, ports::Process& cleaner, container::Container container,
                   const std::string& name, std::map<std::string, std::string> client_variables);

  Result<ports::Captured> capture(const ports::Command& command) override;
  Result<ports::Exit> log(const ports::Command& command, const std::filesystem::path& log) override;
  /// The same, with pinwheel's own streams (host/system/foreground.h); the container is always
  /// removed.
  Result<ports::Exit> foreground(const ports::Command& command, container::Attached attached);

 private:
  std::string next_name() const;
  void remove(const std::string& name, const ports::Exit& exit) const;

  ports::Process& engine_;
  ports::Process& cleaner_;
  container::Container container_;
  std::string name_;
  std::map<std::string, std::string> client_variables_;
};

}  // namespace pinwheel::host
