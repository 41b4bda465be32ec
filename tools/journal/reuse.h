#pragma once
#include <map>
#include <string>
#include <vector>

#include "journal/history.h"
#include "plan/reuse.h"

namespace pinwheel::journal {

/// The results of the plan's steps that could still be there: `done` by their last record. Skipped
/// steps are not among them: what they lacked may be there now.
plan::Results results_of(const plan::Plan& plan, const History& history);

/// The files that decide which results hold: the outputs of what the plan would reuse, once each.
std::vector<std::string> outputs_to_check(const plan::Plan& plan, const plan::Results& results);

/// The results whose outputs are all there unchanged; those without outputs always hold.
/// `digests`: path -> sha256 in hex; a path that is not in it is absent or was not looked at.
plan::Results still_there(plan::Results results, const std::map<std::string, std::string>& digests);

}  // namespace pinwheel::journal
