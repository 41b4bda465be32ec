#pragma once
#include <vector>

#include "publish/artifact.h"

namespace pinwheel::publish {

/// The wheels, grouped by project and ordered by file name, then the sdists: with an sdist first,
/// installers would build from source until the wheels are uploaded. A project is after those of
/// which it requires an exact version that is among the files, so that each wheel can be installed
/// as soon as it is listed; projects that require each other keep the order of their names.
std::vector<Artifact> in_upload_order(std::vector<Artifact> files);

}  // namespace pinwheel::publish
