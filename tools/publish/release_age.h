#pragma once
#include <chrono>
#include <string>
#include <vector>

#include "base/error.h"
#include "publish/artifact.h"
#include "publish/index_file.h"

namespace pinwheel::publish {

/// PyPI takes no new file for a release whose first file is older than 14 days: one error of kind
/// `publish` for each of the files that would join such a release. `absent` are files of one
/// project that the index does not hold, `page` is the project's page. A page that gives no times
/// (HTML) shows no age, and then the index alone tells.
std::vector<Error> age_findings(const std::vector<Artifact>& absent,
                                const std::vector<IndexFile>& page,
                                std::chrono::system_clock::time_point now);

}  // namespace pinwheel::publish
