#pragma once
#include <filesystem>
#include <map>
#include <string>

#include "ports/clock.h"
#include "ports/files.h"
#include "ports/process.h"

namespace pinwheel::host {

/// What making environments takes from the machine. The references outlive the object.
struct EnvMachine {
  ports::Files& files;
  ports::Process& process;
  const ports::Clock& clock;
  std::map<std::string, std::string> variables;  ///< the user's environment
  std::filesystem::path cache;                   ///< what can be made again
  std::filesystem::path state;                   ///< what is recorded
};

}  // namespace pinwheel::host
