#pragma once
#include <map>
#include <memory>
#include <stop_token>
#include <string>

#include "base/result.h"
#include "container/container_image.h"
#include "host/log/logged_process.h"
#include "host/machine/container_process.h"
#include "host/machine/env_machine.h"
#include "host/machine/workplace.h"
#include "host/system/process.h"

namespace pinwheel::host {

/// The label of the state directory whose run a container belongs to.
inline constexpr const char* kRunLabel = "io.pinwheel.run";

/// A machine whose commands run in containers of one image. The host's cache and state directory
/// are mounted at the same paths, as are the files named in the configuration of pip, certificates
/// and toolkits; its own cache is separate for each image.
class ContainedMachine {
 public:
  /// `around` must outlive the object. `name` is the prefix of the containers' names.
  ContainedMachine(const EnvMachine& around, const Workplace& workplace,
                   const container::ContainerImage& image, const std::string& name,
                   const std::stop_token& stop);
  ContainedMachine(const ContainedMachine&) = delete;
  ContainedMachine& operator=(const ContainedMachine&) = delete;

  const EnvMachine& machine() const { return machine_; }
  ContainerProcess& process() { return process_; }

 private:
  ChildProcesses engine_;
  ChildProcesses cleaner_;
  LoggedProcess logged_engine_;
  LoggedProcess logged_cleaner_;
  ContainerProcess process_;
  EnvMachine machine_;
};

/// The description of a container of this image, with the mounts and variables from the host.
/// `name` is its prefix.
container::Container container_of(const EnvMachine& around, const Workplace& workplace,
                                  const container::ContainerImage& image, const std::string& name);

/// The machine of a request: a container, or null if the request runs on the host. `internal` if
/// its image was not made.
Result<std::unique_ptr<ContainedMachine>> contain(const EnvMachine& around,
                                                  const Workplace& workplace,
                                                  const matrix::ContainerSettings& container,
                                                  const std::string& name,
                                                  const std::stop_token& stop);

/// Removes the containers left by earlier runs of this state directory; no other run uses them,
/// because the caller holds the journal's lock. Does nothing if the client does not respond.
void remove_left_containers(ports::Process& process, const Workplace& workplace);

}  // namespace pinwheel::host
