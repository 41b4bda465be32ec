#pragma once
#include "base/result.h"
#include "cli/load.h"
#include "cli/streams.h"
#include "cli/version_facts.h"
#include "plan/outline.h"
#include "ports/files.h"

namespace pinwheel::cli {

/// Compares the version that the checkout says as a literal with the planned one, before anything
/// is made: a build would end with the wrong one. `config` with both places if it is certain to; a
/// warning if the project's code or each `build.command` may still set it. Nothing is said of a
/// third-party sdist, or of a source without the files of a Python project.
Done check_project_version(ports::Files& files, const Loaded& loaded, const plan::Outline& outline,
                           const VersionFacts& version, Streams& streams);

}  // namespace pinwheel::cli
