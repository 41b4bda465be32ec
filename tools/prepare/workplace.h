#pragma once
#include <filesystem>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "host/machine/workplace.h"
#include "plan/step.h"
#include "ports/files.h"
#include "ports/log.h"
#include "ports/notices.h"
#include "prepare/host.h"
#include "prepare/run_scope.h"

namespace pinwheel::prepare {

/// The directory for unnamed files, which need no cleanup: `$TMPDIR`, else /var/tmp, which is not
/// in memory.
std::filesystem::path unnamed_files_directory(const std::map<std::string, std::string>& variables);

/// `$PINWHEEL_CACHE_DIR`, else `$XDG_CACHE_HOME/pinwheel`, else `~/.cache/pinwheel`; `environment`
/// if there is no home directory.
Result<std::filesystem::path> cache_directory(const Host& host);

/// The machine of a command outside a run, with the cache: for programs of pinwheel's own. A stop
/// ends its programs.
Result<OpenMachine> cache_machine(const Host& host, const ports::LogHandle& log,
                                  std::stop_token stop);

/// The workplace for the run of a scope; makes the state directory, which ignores itself in git. It
/// has no containers yet, and whether builds see a fixed path is not decided: `run_plan` asks the
/// machine before the first step.
Result<host::Workplace> make_workplace(const Host& host, const RunScope& scope,
                                       const ports::LogHandle& log);

/// The workplace with the path mode and the network of builds: probes the machine, which starts
/// five programs; a container always has a fixed path and a network of its own.
host::Workplace with_path_mode(const Host& host, host::Workplace workplace);

/// Prints a note if builds among these steps reach the network although their matrix does not allow
/// it.
void note_open_network(const host::Workplace& workplace,
                       const std::vector<const plan::Step*>& steps, ports::Notices& notices);

}  // namespace pinwheel::prepare
