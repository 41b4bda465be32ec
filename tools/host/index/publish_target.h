#pragma once
#include "host/index/upload_target.h"
#include "host/machine/workplace.h"
#include "host/net/credentials.h"
#include "matrix/matrix.h"

namespace pinwheel::host {

/// The endpoint of a target. Not for the kind `directory`. Errors as of `publish::endpoint`.
Result<publish::Endpoint> endpoint_of(const matrix::PublishTarget& target);

/// The upload endpoint of a target of the matrix, and its credentials unless it needs none; their
/// secret is passed to `Workplace::mask` before they are returned. Not for the kind `directory`.
/// `ports` must outlive the result. Errors are those of `publish::endpoint` and `find_credentials`.
Result<UploadTarget> upload_target(const matrix::PublishTarget& target, const Workplace& workplace,
                                   const CredentialPorts& ports);

}  // namespace pinwheel::host
