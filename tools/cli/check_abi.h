#pragma once
#include "base/result.h"
#include "cli/load.h"
#include "cli/streams.h"
#include "plan/outline.h"
#include "ports/files.h"

namespace pinwheel::cli {

/// Compares `abi.python` with what the project's files declare (init/abi_conflict.h), before
/// anything is compiled. `config` if the backend's tables say that a build will break the promise,
/// and each `build.command` only runs the backend; a warning if code may still decide otherwise.
/// Nothing is said of a third-party sdist, or of a source without the files of a Python project.
Done check_project_abi(ports::Files& files, const Loaded& loaded, const plan::Outline& outline,
                       Streams& streams);

}  // namespace pinwheel::cli
