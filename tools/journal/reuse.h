#pragma once
#include <map>
#include <string>
#include <vector>

#include "journal/history.h"
#include "plan/step.h"

namespace pinwheel::journal {

/// The outcomes that could stand for steps of the plan, by id: same key, and `done` by the last
/// record. Skipped steps are not among them: what they lacked may be there now.
std::map<std::string, plan::StepOutcome> candidates(const plan::Plan& plan, const History& history);

/// The files that decide which candidates hold: every output, once.
std::vector<std::string> outputs_to_check(
    const std::map<std::string, plan::StepOutcome>& candidates);

/// The candidates whose outputs are all there unchanged. `digests`: path -> sha256 in hex; a path
/// that is not in it is absent. This is `ExecuteOptions::reused`.
std::map<std::string, plan::StepOutcome> reusable(
    std::map<std::string, plan::StepOutcome> candidates,
    const std::map<std::string, std::string>& digests);

}  // namespace pinwheel::journal
