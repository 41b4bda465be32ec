#pragma once
#include <string>
#include <string_view>

#include "base/result.h"

namespace pinwheel::ci {

/// A generated file with what a person has added to its last version: the lines between
/// `# pinwheel: keep NAME` and `# pinwheel: end`, whose places the generator makes. `existing` is
/// the file as it stands, empty if there is none; `file` names it in errors. `config`, with the
/// line, if a block has no end, stands twice, or has a name that the generated text has no place
/// for: its lines would be lost. If `generated` is empty, only errors are returned.
Result<std::string> with_kept(std::string_view generated, std::string_view existing,
                              const std::string& file);

}  // namespace pinwheel::ci
