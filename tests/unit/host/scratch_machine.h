#pragma once
#include <cstdlib>
#include <filesystem>
#include <string>

#include "host/machine/env_machine.h"
#include "host/system/clock.h"
#include "host/system/files.h"
#include "host/system/process.h"
#include "unit/host/scratch.h"

namespace pinwheel {

/// This machine, with a cache and a state directory in scratch, and no variables.
struct ScratchMachine {
  Scratch scratch;
  host::LocalFiles files;
  host::ChildProcesses process;
  host::SystemClock clock;
  host::EnvMachine machine{
      files, process, clock, {}, scratch.path() / "cache", scratch.path() / "state"};

  /// Writes a program with this text; returns its path.
  std::string program(const std::string& name, const std::string& script) const {
    const std::filesystem::path path = scratch.write(name, script);
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path.string();
  }

  /// Makes conda a program with this text, with the scratch directory as HOME.
  void use_conda(const std::string& script) {
    machine.variables = {{"PATH", std::string(std::getenv("PATH"))},
                         {"HOME", scratch.path().string()},
                         {"PINWHEEL_CONDA", program("bin/conda", script)}};
  }
};

}  // namespace pinwheel
