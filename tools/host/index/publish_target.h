#pragma once
#include "host/index/upload_target.h"
#include "host/machine/workplace.h"
#include "matrix/matrix.h"
#include "ports/files.h"

namespace pinwheel::host {

/// The upload endpoint of a target of the matrix, and its credentials unless it needs none; their
/// secret is passed to `Workplace::mask` before they are returned. Not for the kind `directory`.
/// Errors are those of `publish::endpoint` and `find_credentials`.
Result<UploadTarget> upload_target(const matrix::PublishTarget& target, const Workplace& workplace,
                                   ports::Files& files);

}  // namespace pinwheel::host
