#pragma once
#include <string>

#include "base/result.h"
#include "cli/package_source.h"
#include "cli/run_scope.h"
#include "cli/streams.h"
#include "ports/files.h"

namespace pinwheel::cli {

/// Writes what `plan --out` freezes into the file `out`; makes the images and resolves the
/// environments first.
Done freeze_plan(ports::Files& files, const RunScope& scope, const PackageSource& source,
                 const std::string& out, Streams& streams);

}  // namespace pinwheel::cli
