#pragma once
#include "host/index/upload_target.h"
#include "host/machine/workplace.h"
#include "matrix/matrix.h"
#include "ports/files.h"

namespace pinwheel::host {

/// Where a target of the matrix takes uploads, and the credentials that open it unless it asks for
/// none; `Workplace::mask` knows of their secret before the caller. Not for the kind `directory`.
/// Errors of `publish::endpoint` and `find_credentials`.
Result<UploadTarget> upload_target(const matrix::PublishTarget& target, const Workplace& workplace,
                                   ports::Files& files);

}  // namespace pinwheel::host
