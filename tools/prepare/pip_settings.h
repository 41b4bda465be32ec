#pragma once
#include <map>
#include <string>

#include "env/pip_index.h"
#include "ports/log.h"
#include "prepare/host.h"

namespace pinwheel::prepare {

/// What the user's pip is configured to use. Runs `python3 -m pip config list`; without a pip, the
/// variables PIP_INDEX_URL, PIP_EXTRA_INDEX_URL, PIP_FIND_LINKS, PIP_NO_INDEX and PIP_CERT.
env::PipIndexes pip_settings(const Host& host, const ports::LogHandle& log);

}  // namespace pinwheel::prepare
