#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "publish/artifact.h"

namespace pinwheel::host {

/// What `inspect --check` calls an error of a wheel, one finding of kind `check` each, read from
/// `Artifact::contents`; for an sdist, what was found when it was read. Members that cannot be read
/// or have another CRC, and violations of the rule `record`, are findings whatever is in `ignored`.
/// The size is left to the preflight, which knows the limit of the index. Kind `config` for an
/// unknown rule, `usage` for `record` in `ignored`.
Result<std::vector<Error>> content_findings(const publish::Artifact& file,
                                            const std::vector<std::string>& ignored);

}  // namespace pinwheel::host
