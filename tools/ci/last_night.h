#pragma once
#include <string>

#include "ci/workflow_facts.h"

// A nightly does nothing if it would do what the last one did. The fingerprint of the plan of the
// last complete night lies in the cache of the repository; a person who starts a nightly by hand
// gets one.

namespace pinwheel::ci {

/// The steps of the job `plan` that compare the frozen plan with that of the last complete night,
/// and its outputs: `unchanged`, "true" if they are the same, and `fingerprint`.
std::string compare_with_last_night(const WorkflowFacts& facts);
std::string last_night_outputs();

/// `remember`, after the job `last`: keeps the fingerprint for the next night.
std::string remember_job(const std::string& last);

}  // namespace pinwheel::ci
