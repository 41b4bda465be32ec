#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "publish/artifact.h"
#include "publish/index_file.h"

namespace pinwheel::publish {

/// The file of a release that was uploaded first, as far as the page states times.
std::optional<IndexFile> first_upload(const std::vector<IndexFile>& release);

/// Whether PyPI accepts no more files for a release with this first file: it is more than 14 whole
/// days old.
bool is_closed(const IndexFile& first, std::chrono::system_clock::time_point now);

/// PyPI accepts no new files for a release whose first file is older than 14 days: one error of
/// kind `publish` for each file of such a release. `absent` are the files of one project that are
/// not in the index, `page` is the project's page. A page without upload times (HTML) has no
/// findings; then only the upload itself fails.
std::vector<Error> age_findings(const std::vector<Artifact>& absent,
                                const std::vector<IndexFile>& page,
                                std::chrono::system_clock::time_point now);

}  // namespace pinwheel::publish
