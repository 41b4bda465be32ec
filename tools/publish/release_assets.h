#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "publish/github_release.h"
#include "publish/release_record.h"

// The files of a release on GitHub that describe its other files.
namespace pinwheel::publish {

inline constexpr const char* kDigestsName = "SHA256SUMS";

/// An asset that is made here, with its bytes.
struct MadeAsset {
  WantedAsset asset;
  std::string bytes;
};

MadeAsset made_asset(const std::string& name, std::string bytes);

/// `SHA256SUMS`, for `sha256sum --check`, and the records of the release, one for each project. The
/// same files give the same bytes in any order.
std::vector<MadeAsset> describing_assets(const ReleaseFacts& facts, const Publication& publication);

/// The asset with the Sigstore bundle of a file, unless the release is to get another one. Signing
/// again gives other bytes, so the bundle stays as long as a draft has the file that it is about. A
/// published release never gets one: `next_action` reports that it is missing, and the size and the
/// digest are then those of no bundle. `state` has the digests of the assets.
std::optional<WantedAsset> present_bundle(const WantedAsset& file, const GithubState& state);

/// Kind `check` for a release without a commit or a tag: outside git, and of files that differ from
/// those of the commit.
Done check_tagged(const ReleaseFacts& facts, const std::string& target);

}  // namespace pinwheel::publish
