#pragma once
#include <string>
#include <vector>

#include "plan/action.h"

namespace pinwheel::plan {

/// The action as canonical JSON text: same action, same text, on every machine. Secrets, job counts
/// and paths of this machine are not in it.
std::string canonical(const Action& action);

/// The key of a step: hex digest of its action, the keys of its `needs` and the schema of keys
/// itself.
std::string step_key(const Action& action, const std::vector<std::string>& need_keys);

}  // namespace pinwheel::plan
