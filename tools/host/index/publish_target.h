#pragma once
#include "host/index/upload.h"
#include "host/machine/workplace.h"
#include "matrix/matrix.h"
#include "ports/files.h"

namespace pinwheel::host {

/// Where a target of the matrix takes uploads, and the credentials that open it unless it asks for
/// none; not for the kind `directory`. Errors of `publish::endpoint` and `find_credentials`.
Result<UploadTarget> upload_target(const matrix::PublishTarget& target, const Workplace& workplace,
                                   ports::Files& files);

}  // namespace pinwheel::host
