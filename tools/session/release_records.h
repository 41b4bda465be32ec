#pragma once
#include <map>
#include <string>
#include <vector>

#include "plan/outcome.h"
#include "plan/step.h"
#include "publish/release_record.h"

namespace pinwheel::session {

/// The records of what the finished publications of a run published, by file name; none for a
/// publication that failed or was not reached. Pure.
std::map<std::string, publish::ReleaseRecord> release_records(
    const plan::Plan& plan, const std::vector<plan::StepOutcome>& outcomes,
    const publish::ReleaseFacts& facts);

}  // namespace pinwheel::session
