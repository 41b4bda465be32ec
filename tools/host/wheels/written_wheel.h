#pragma once
#include "base/result.h"
#include "host/system/pending_file.h"

namespace pinwheel::host {

/// Reads back a wheel that was just written, before it gets its name. Kind `check`, with what is
/// wrong, if it breaks one of the rules about its form: `wheel-name`, `record`, `archive`,
/// `special-members`, `hidden-characters`.
Done check_written(const PendingFile& wheel);

}  // namespace pinwheel::host
