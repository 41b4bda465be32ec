#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "plan/outcome.h"
#include "report/failure.h"

namespace pinwheel::report {

/// What a status printer needs of the world.
struct Printer {
  std::function<void(std::string_view)> out;  ///< takes whole lines
  /// Gathers what goes with a failed step.
  std::function<FailureFacts(const plan::StepOutcome&)> facts;
  Colour colour = Colour::never;
};

}  // namespace pinwheel::report
