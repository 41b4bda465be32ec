#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "pep/specifier.h"
#include "publish/index_file.h"

namespace pinwheel::publish {

/// The wheel of a pinned version, `==2.10.0`, to examine: for this architecture of Linux, with
/// glibc rather than musl, for the newest Python; of those, the one that its installers prefer,
/// with the highest build tag. `config` if the version has no wheel for the architecture; the hint
/// names what there is instead.
Result<IndexFile> choose_wheel(const std::vector<IndexFile>& files, const std::string& name,
                               const pep::Specifier& pin, const std::string& arch);

}  // namespace pinwheel::publish
