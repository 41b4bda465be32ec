#include "host/steps/time_limit.h"

#include <fmt/format.h>

#include "base/text.h"

namespace pinwheel::host {

Error past_time_limit(const StepContext& context, const std::string& what, std::string_view key) {
  return {ErrorKind::timeout,
          fmt::format("{} ran past its time limit of {}, which {} sets", what,
                      format_duration(context.attempt.step->timeout), pinwheel::quoted(key)),
          std::nullopt, fmt::format("raise {} in the matrix", pinwheel::quoted(key))};
}

}  // namespace pinwheel::host
