#pragma once
#include <map>
#include <memory>
#include <stop_token>
#include <string>

#include "base/result.h"
#include "env/container_image.h"
#include "host/machine/container_process.h"
#include "host/machine/env_machine.h"
#include "host/machine/workplace.h"
#include "host/system/process.h"

namespace pinwheel::host {

/// The label that says which state directory's run a container belongs to.
inline constexpr const char* kRunLabel = "io.pinwheel.run";

/// A machine whose commands run in containers of one image, made from the machine around it: the
/// cache and the state directory lie at the same paths, so do the files that the configuration of
/// pip, certificates and toolkits names; its cache is the image's own.
class ContainedMachine {
 public:
  /// `around` outlives the object. `name` begins the containers' names.
  ContainedMachine(const EnvMachine& around, const Workplace& workplace,
                   const env::ContainerImage& image, const std::string& name,
                   const std::stop_token& stop);
  ContainedMachine(const ContainedMachine&) = delete;
  ContainedMachine& operator=(const ContainedMachine&) = delete;

  const EnvMachine& machine() const { return machine_; }
  ContainerProcess& process() { return process_; }

 private:
  ChildProcesses engine_;
  ChildProcesses cleaner_;
  ContainerProcess process_;
  EnvMachine machine_;
};

/// What a container of this image is, and sees of the machine around it. `name` labels it.
env::Container container_of(const EnvMachine& around, const Workplace& workplace,
                            const env::ContainerImage& image, const std::string& name);

/// The machine of a request: a contained one, or null where the request works on the host.
/// `internal` when its image was not made.
Result<std::unique_ptr<ContainedMachine>> contain(const EnvMachine& around,
                                                  const Workplace& workplace,
                                                  const matrix::ContainerSettings& container,
                                                  const std::string& name,
                                                  const std::stop_token& stop);

/// Removes the containers that earlier runs of this state directory left, which its journal's lock
/// says are nobody's. A client that does not answer is left alone.
void remove_left_containers(ports::Process& process, const Workplace& workplace);

}  // namespace pinwheel::host
