#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pinwheel::store {

/// The attempt of a workflow's run that left an artifact: the number at the end of its name, as in
/// "result-build-cpu-2"; 0 if there is none.
uint64_t attempt_of(std::string_view artifact);

/// The names in the order in which they are asked for a result: that of the latest attempt first,
/// those of one attempt by name.
std::vector<std::string> latest_first(std::vector<std::string> artifacts);

}  // namespace pinwheel::store
