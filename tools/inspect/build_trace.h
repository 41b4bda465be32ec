#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace pinwheel::inspect {

/// The traces of a build that show how its code was made.
struct BuildTrace {
  bool compiled = false;                        ///< a compiler or a linker ran
  std::vector<std::string> machine_flags = {};  ///< "-march=native", each once
};

/// Reads the log of a build, and the texts of files in which build tools write their commands
/// (`build.ninja`, `flags.make`, `compile_commands.json`). In the log, only lines that run a
/// compiler count, because others mention flags that are only probed.
BuildTrace build_trace(std::string_view log, const std::vector<std::string>& commands);

}  // namespace pinwheel::inspect
