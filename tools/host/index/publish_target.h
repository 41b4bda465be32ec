#pragma once
#include <map>
#include <string>

#include "host/index/upload_target.h"
#include "host/machine/workplace.h"
#include "host/net/credentials.h"
#include "matrix/matrix.h"
#include "publish/identity_provider.h"

namespace pinwheel::host {

/// The endpoint of a target. Only for the kinds with the upload API of PyPI. Errors as of
/// `publish::endpoint`.
Result<publish::Endpoint> endpoint_of(const matrix::PublishTarget& target);

/// The upload endpoint of a target of the matrix, and its credentials unless it needs none; their
/// secret is passed to `Workplace::mask` before they are returned. Only for the kinds with
/// the upload API of PyPI. `ports` must outlive the result. Errors are
/// those of `publish::endpoint` and `find_credentials`.
Result<UploadTarget> upload_target(const matrix::PublishTarget& target, const Workplace& workplace,
                                   const CredentialPorts& ports);

/// Whether the files of an upload get attestations. `automatic`: on PyPI and TestPyPI, if their
/// token is issued for the job and they accept attestations of its provider; on GitLab, if the job
/// has an identity token for Sigstore, too.
bool is_attested(matrix::Attesting attesting, const UploadTarget& target,
                 const std::map<std::string, std::string>& variables);

/// The provider whose identity signs for a target of that kind. Kind `usage` if the job has none.
Result<publish::IdentityProvider> signing_provider(
    const std::map<std::string, std::string>& variables, publish::IndexKind kind);
/// The same for an upload; also kind `usage` for PyPI with a token of the user: it accepts
/// attestations only from jobs that it trusts.
Result<publish::IdentityProvider> signing_provider(
    const std::map<std::string, std::string>& variables, const UploadTarget& target);

}  // namespace pinwheel::host
