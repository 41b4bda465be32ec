#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <stop_token>
#include <string>

#include "host/log/logged_files.h"
#include "host/log/logged_process.h"
#include "host/machine/env_machine.h"
#include "host/machine/workplace.h"
#include "host/system/clock.h"
#include "host/system/files.h"
#include "host/system/process.h"

namespace pinwheel::host {

/// The machine that pinwheel runs on, with the ports that its `machine` refers to. Their actions
/// are logged.
struct LocalMachine {
  /// A stop request terminates its commands. They see only `helper_variables` of the user's
  /// variables; logs that they write do not contain the texts in `hidden`.
  LocalMachine(const std::map<std::string, std::string>& variables, std::filesystem::path cache,
               std::filesystem::path state, std::stop_token stop = {},
               ports::LogHandle log = ports::no_log(),
               std::shared_ptr<const HiddenText> hidden = {});
  /// Uses the workplace's variables, directories, stop token, log and hidden text.
  explicit LocalMachine(const Workplace& workplace);
  LocalMachine(const LocalMachine&) = delete;
  LocalMachine& operator=(const LocalMachine&) = delete;

  ports::LogHandle log;
  SystemClock clock;
  LocalFiles disk;
  ChildProcesses children;
  LoggedFiles files;
  LoggedProcess process;
  EnvMachine machine;
};

}  // namespace pinwheel::host
