#pragma once
#include <string>

#include "base/result.h"
#include "cli/options.h"
#include "cli/streams.h"
#include "plan/make_plan.h"
#include "prepare/host.h"

namespace pinwheel::cli {}  // namespace pinwheel::cli
