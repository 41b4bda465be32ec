#pragma once
#include <chrono>
#include <string>
#include <vector>

#include "base/error.h"
#include "publish/artifact.h"
#include "publish/index_file.h"

namespace pinwheel::publish {

/// PyPI accepts no new files for a release whose first file is older than 14 days: one error of
/// kind `publish` for each file of such a release. `absent` are the files of one project that are
/// not in the index, `page` is the project's page. A page without upload times (HTML) has no
/// findings; then only the upload itself fails.
std::vector<Error> age_findings(const std::vector<Artifact>& absent,
                                const std::vector<IndexFile>& page,
                                std::chrono::system_clock::time_point now);

}  // namespace pinwheel::publish
