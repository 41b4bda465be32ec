#pragma once
#include <string>
#include <vector>

#include "exports/upstream.h"
#include "report/github_command.h"

namespace pinwheel::report {

/// A table of the changes, then the lines to write, each with its file and line.
std::string upstream_text(const exports::Upstream& upstream, size_t width = 0);

/// The same as JSON, `pinwheel-upstream/1`.
std::string upstream_json(const exports::Upstream& upstream);

/// A notice for each axis that differs, at its line of the matrix.
std::vector<Annotation> upstream_notices(const exports::Upstream& upstream);

}  // namespace pinwheel::report
