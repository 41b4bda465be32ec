#pragma once
#include "base/result.h"
#include "host/system/pending_file.h"
#include "wheel/contents.h"

namespace pinwheel::host {

/// Reads back a newly written wheel before it gets its name. Kind `check`, with the faults, if it
/// breaks one of the rules about its form: `wheel-name`, `record`, `archive`, `special-members`,
/// `hidden-characters`. Returns what the file contains.
Result<wheel::WheelContents> check_written(const PendingFile& wheel);

}  // namespace pinwheel::host
