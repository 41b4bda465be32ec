#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "host/index/github_api.h"
#include "host/index/upload.h"
#include "host/machine/workplace.h"
#include "host/net/credentials.h"
#include "matrix/matrix.h"
#include "ports/byte_source.h"
#include "publish/github_release.h"

namespace pinwheel::host {

/// The repository of a target of kind `github-release`, with the token from the usual sources.
/// Errors as of `publish::github_place` and `find_credentials`.
Result<GithubTarget> github_target(const matrix::PublishTarget& target, const Workplace& workplace,
                                   const CredentialPorts& ports);

/// The same for questions only: without a token if none is found, since everybody may read the
/// releases of a public repository.
Result<GithubTarget> github_reader(const matrix::PublishTarget& target, const Workplace& workplace,
                                   const CredentialPorts& ports);

/// Publishes a release: looks at its state, takes `publish::next_action` until it is done, and
/// looks again whenever the result of a request is not known. So the same call completes a release
/// after a failure at any point. `contents` are the bytes of `goal.assets`, in that order; they are
/// streamed, and a file that changed since it was read is never sent completely (`check`). Nothing
/// is sent if `publish::asset_findings` finds something. Errors: `check`, `publish`, `environment`,
/// `interrupted`; none contains the token.
Result<std::vector<FileOutcome>> publish_github_release(
    const publish::ReleaseGoal& goal,
    const std::vector<std::shared_ptr<const ports::ByteSource>>& contents, const GithubApi& api);

}  // namespace pinwheel::host
