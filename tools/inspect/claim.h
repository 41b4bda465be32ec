#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pinwheel::inspect {

/// The arch list that a wheel says it was built for, from its `dist-info/pinwheel.json`: empty for
/// a CPU build, nullopt when the build left the choice to the backend. Kind `check` when the text
/// is no such record.
Result<std::optional<std::vector<std::string>>> claimed_arch_list(std::string_view record_json);

/// The torch that a wheel says it was built with; nullopt when it names none. Kind `check` as
/// above.
Result<std::optional<std::string>> claimed_torch(std::string_view record_json);

}  // namespace pinwheel::inspect
