#pragma once
#include <stop_token>

#include "host/index/upload.h"

namespace pinwheel::host {

/// Hooks that wait on the clock of the machine, at randomized times, but not beyond a stop request.
UploadHooks waiting_hooks(std::stop_token stop);

}  // namespace pinwheel::host
