#pragma once
#include <filesystem>
#include <map>
#include <stop_token>
#include <string>

#include "host/machine/env_machine.h"
#include "host/machine/workplace.h"
#include "host/system/clock.h"
#include "host/system/files.h"
#include "host/system/process.h"

namespace pinwheel::host {

/// The machine that pinwheel runs on, with the ports that its `machine` refers to.
struct LocalMachine {
  /// A stop request terminates its commands.
  LocalMachine(std::map<std::string, std::string> variables, std::filesystem::path cache,
               std::filesystem::path state, std::stop_token stop = {});
  /// Uses the workplace's variables, directories and stop token.
  explicit LocalMachine(const Workplace& workplace);
  LocalMachine(const LocalMachine&) = delete;
  LocalMachine& operator=(const LocalMachine&) = delete;

  LocalFiles files;
  ChildProcesses process;
  SystemClock clock;
  EnvMachine machine;
};

}  // namespace pinwheel::host
