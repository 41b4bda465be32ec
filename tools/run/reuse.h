#pragma once
#include <map>
#include <string>
#include <vector>

#include "plan/reuse.h"
#include "run/history.h"

namespace pinwheel::run {

/// The results of the plan's steps that may still exist: `done` in their last record. Skipped steps
/// are not included: the thing that they lacked may be available now.
plan::Results results_of(const plan::Plan& plan, const History& history);

/// The files that determine which results are valid: the outputs that the plan would reuse, without
/// duplicates.
std::vector<std::string> outputs_to_check(const plan::Plan& plan, const plan::Results& results);

/// The results whose outputs all exist unchanged; those without outputs are always valid.
/// `digests`: path -> sha256 in hex; a missing path does not exist or was not checked.
plan::Results still_valid(plan::Results results, const std::map<std::string, std::string>& digests);

}  // namespace pinwheel::run
