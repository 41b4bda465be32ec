#pragma once
#include <functional>

#include "publish/upload_event.h"
#include "session/console.h"

namespace pinwheel::session {

/// Prints the progress of a run's uploads, in the format of its other lines. Empty if a live status
/// is shown on the terminal, which these lines would garble; the step's log has everything.
std::function<void(const publish::UploadEvent&)> upload_notes(const prepare::GlobalOptions& options,
                                                              Console& console);

}  // namespace pinwheel::session
