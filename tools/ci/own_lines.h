#pragma once
#include <string>
#include <string_view>

#include "base/result.h"

namespace pinwheel::ci {

/// A generated file with the lines that a person added to its existing version between `# pinwheel:
/// keep NAME` and `# pinwheel: end`. The generator writes these places. `existing` is the current
/// file, empty if there is none; `file` names it in errors. `config`, with the line, if a block has
/// no end, occurs twice, or has a name that the generated text lacks, so that its lines would be
/// lost. If `generated` is empty, only errors are returned.
Result<std::string> with_own_lines(std::string_view generated, std::string_view existing,
                                   const std::string& file);

}  // namespace pinwheel::ci
