#pragma once
#include <chrono>

#include "host/machine/env_machine.h"

namespace pinwheel::host {

/// Adds the time until its destruction to the installation time of its machine, if that is measured
/// and no other object does so already.
class InstallTime {
 public:
  explicit InstallTime(const EnvMachine& machine)
      : machine_(machine), begun_(machine.clock.steady()) {
    if (machine_.installing) ++machine_.installing->depth;
  }
  ~InstallTime() {
    if (!machine_.installing || --machine_.installing->depth > 0) return;
    machine_.installing->spent +=
        std::chrono::duration_cast<std::chrono::milliseconds>(machine_.clock.steady() - begun_);
  }
  InstallTime(const InstallTime&) = delete;
  InstallTime& operator=(const InstallTime&) = delete;

 private:
  const EnvMachine& machine_;
  std::chrono::steady_clock::time_point begun_;
};

}  // namespace pinwheel::host
