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
  /// The machine around the container that the commands run in; null where they run on the host.
  /// In a container only what is mounted lies at the paths that `files` knows.
  const EnvMachine* host = nullptr;
};

/// The machine on which nothing stands between the commands and the files.
inline const EnvMachine& host_of(const EnvMachine& machine) {
  return machine.host == nullptr ? machine : *machine.host;
}

}  // namespace pinwheel::host
