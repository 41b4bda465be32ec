#pragma once
#include <memory>
#include <vector>

#include "base/result.h"
#include "plan/action.h"
#include "ports/byte_source.h"
#include "publish/artifact.h"
#include "publish/github_release.h"
#include "publish/release_assets.h"

namespace pinwheel::host {

/// The files of a release on GitHub, and their bytes.
struct ReleaseContents {
  std::vector<publish::WantedAsset> assets;
  std::vector<std::shared_ptr<const ports::ByteSource>> bytes;
};

/// The assets of a release on GitHub: its files, those that describe them, and a bill of materials,
/// which contains the bills of the wheels. Errors are those of reading a wheel.
Result<ReleaseContents> release_contents(const plan::TaggedRelease& release,
                                         const std::vector<publish::Artifact>& files,
                                         std::vector<publish::MadeAsset> describing);

}  // namespace pinwheel::host
