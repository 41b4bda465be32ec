#pragma once
#include <vector>

#include "base/result.h"
#include "host/index/upload.h"
#include "host/net/credentials.h"
#include "host/steps/step_context.h"
#include "plan/action.h"
#include "publish/artifact.h"
#include "publish/attestation.h"

namespace pinwheel::host {

/// Signs the statements about files that are going to be uploaded, with the identity of the job:
/// that they were published, and how they were built. Errors are those of `signing_provider` and
/// `sign_statements`.
Result<FileAttestations> attest_uploads(const StepContext& context, const plan::Publish& action,
                                        const UploadTarget& target, const CredentialPorts& ports,
                                        const std::vector<publish::Artifact>& files);

/// Signs the provenance of files that are going to be published outside of indexes with the upload
/// API: one Sigstore bundle for each file, in order. The errors are the same.
Result<std::vector<publish::Attestation>> sign_provenance(
    const StepContext& context, const plan::Publish& action, const CredentialPorts& ports,
    const std::vector<publish::Artifact>& files);

}  // namespace pinwheel::host
