#pragma once
#include "base/result.h"
#include "plan/outline.h"
#include "ports/files.h"
#include "ports/notices.h"
#include "prepare/host.h"
#include "prepare/load.h"

namespace pinwheel::prepare {

/// Compares `abi.python` with the declarations in the project's files (init/abi_conflict.h), before
/// anything is compiled. `config` if the backend's tables show that a build will break the promise,
/// and each `build.command` only runs the backend; a warning if code may still decide otherwise.
/// Skipped for a third-party sdist and for a source without the files of a Python project.
Done check_project_abi(const Host& host, const Loaded& loaded, const plan::Outline& outline,
                       ports::Notices& notices);

}  // namespace pinwheel::prepare
