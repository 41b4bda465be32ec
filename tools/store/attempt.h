#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pinwheel::store {

/// The id of a step, fit for the name of an artifact: "build-cu130".
std::string artifact_of(std::string_view step);

/// Whether an artifact is that of a step, by its name: "result-STEP-ATTEMPT". It may hold the
/// entry of that step and no other, since the code of the step could write any file into it.
bool is_artifact_of(std::string_view artifact, std::string_view step);

/// The attempt of a workflow's run that left an artifact: the number at the end of its name, as in
/// "result-build-cpu-2"; 0 if there is none.
uint64_t attempt_of(std::string_view artifact);

/// The names in the order in which they are asked for an entry: that of the latest attempt first,
/// those of one attempt by name.
std::vector<std::string> latest_first(std::vector<std::string> artifacts);

}  // namespace pinwheel::store
