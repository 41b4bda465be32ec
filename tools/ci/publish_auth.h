#pragma once
#include "ci/workflow_facts.h"
#include "matrix/matrix.h"

namespace pinwheel::ci {

/// How the job of a target authenticates: as the matrix says, else as is usual for its kind. A
/// directory takes no credentials.
PublishAuth auth_of(const matrix::PublishTarget& target);

/// Whether the index is there to try a release out, so that its job runs before the others.
bool is_trial(matrix::TargetKind kind);

}  // namespace pinwheel::ci
