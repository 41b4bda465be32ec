#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "publish/artifact.h"

namespace pinwheel::host {

/// The errors of a wheel in `inspect --check`, one finding of kind `check` each, read from
/// `Artifact::contents`; for an sdist, the findings of its reading. Unreadable members, members
/// with another CRC, and violations of the rule `record` are always findings, even if they are in
/// `ignored`. The preflight checks the size, because it knows the limit of the index. Kind `config`
/// for an unknown rule, `usage` for `record` in `ignored`.
Result<std::vector<Error>> content_findings(const publish::Artifact& file,
                                            const std::vector<std::string>& ignored);

}  // namespace pinwheel::host
