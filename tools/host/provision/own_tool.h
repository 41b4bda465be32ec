#pragma once
#include <filesystem>
#include <string>

#include "base/result.h"
#include "host/machine/env_machine.h"

namespace pinwheel::host {

/// A program of pinwheel's own that is written in Python: packages of PyPI, wheels only, in a
/// virtual environment in `<cache>/tools`. It runs on the host, even for a machine that is a
/// container.
struct OwnTool {
  std::string name;      ///< of its directory: "rattler"
  std::string label;     ///< for messages: "py-rattler>=0.28,<0.29"
  std::string packages;  ///< a requirements file for pip, which checks the hashes if it has some
};

/// The directory of its environment, which depends on its packages.
std::filesystem::path own_tool_directory(const EnvMachine& machine, const OwnTool& tool);

/// The Python of its environment. It is installed if it is missing, once, under a lock, with a
/// CPython of the host (3.10 or newer) and the user's pip configuration. `environment` if there is
/// no such Python, else the errors of pip.
Result<std::string> own_tool_python(const EnvMachine& machine, const OwnTool& tool);

/// Whether `own_tool_python` is going to install it.
bool is_own_tool_missing(const EnvMachine& machine, const OwnTool& tool);

}  // namespace pinwheel::host
