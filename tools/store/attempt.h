#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pinwheel::store {

/// The id of a step as a part of the name of an artifact: "build-cu130".
std::string artifact_of(std::string_view step);

/// Whether an artifact belongs to a step, by its name: "result-STEP-ATTEMPT". Only the entry of
/// that step is accepted from it, because the code of the step could write any file into it.
bool is_artifact_of(std::string_view artifact, std::string_view step);

/// The attempt of a workflow run that wrote an artifact: the number at the end of its name, as in
/// "result-build-cpu-2"; 0 if there is none.
uint64_t attempt_of(std::string_view artifact);

/// The names in lookup order: the latest attempt first, by name within an attempt.
std::vector<std::string> latest_first(std::vector<std::string> artifacts);

}  // namespace pinwheel::store
