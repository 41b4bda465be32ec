#pragma once
#include <filesystem>
#include <string>

#include "base/result.h"
#include "env/interpreter.h"
#include "env/resolution.h"
#include "host/workplace.h"
#include "plan/step.h"
#include "ports/process.h"

namespace pinwheel::host {

/// One command as a line of bash: its directory, exactly its environment, its argv, all quoted.
std::string script_line(const ports::Command& command);

/// The beginning of the script: strict mode, the scratch directory it works in.
std::string script_head(const std::filesystem::path& program);

/// What a dry run knows of one environment.
struct DryEnvironment {
  std::string id;  ///< names its directory in the scratch directory
  env::Interpreter interpreter;
  env::Resolution resolution;
};

/// Makes the environment in the script's own scratch directory, from the resolution's exact hashes.
std::string script_of_environment(const DryEnvironment& environment, const Workplace& workplace);

/// Exports the source, runs the very command that `build` runs, finishes the wheel with `pinwheel
/// finish`.
std::string script_of_build(const plan::BuildWheel& action, const DryEnvironment& environment,
                            const Workplace& workplace, int cores);

/// The sdist, likewise.
std::string script_of_sdist(const plan::BuildSdist& action, const DryEnvironment& environment,
                            const Workplace& workplace);

}  // namespace pinwheel::host
