#pragma once
#include <functional>

#include "cli/streams.h"
#include "publish/upload_event.h"

namespace pinwheel::cli {

/// Tells people what the uploads of a run do, in the form of its other lines. Empty where status
/// lines stand at the foot of a terminal: they would be torn, and the step's log has it all.
std::function<void(const publish::UploadEvent&)> upload_notes(const GlobalOptions& options,
                                                              Streams& streams);

}  // namespace pinwheel::cli
