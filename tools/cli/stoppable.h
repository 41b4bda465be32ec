#pragma once
#include <functional>

#include "base/result.h"
#include "host/machine/workplace.h"

namespace pinwheel::cli {

/// Does what a command needs before its first step: images, resolutions, locks. Until it is done,
/// Ctrl-C, TERM and HUP end what the machines of the workplace run, with its containers, instead of
/// ending pinwheel around it; a second one ends pinwheel at once. `interrupted` or `terminated`
/// when one came.
Done stoppable(host::Workplace& workplace, const std::function<Done()>& prepare);

}  // namespace pinwheel::cli
