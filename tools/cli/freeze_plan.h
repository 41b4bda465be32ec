#pragma once
#include <string>

#include "base/result.h"
#include "cli/package_source.h"
#include "cli/run_scope.h"
#include "cli/streams.h"
#include "ports/files.h"

namespace pinwheel::cli {

/// Writes the frozen plan of `plan --out` to the file `out`, or to stdout; first makes the images
/// and resolves the environments.
Done freeze_plan(ports::Files& files, const RunScope& scope, const PackageSource& source,
                 const std::string& out, Streams& streams);

}  // namespace pinwheel::cli
