#include "publish/release_assets.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/digest.h"
#include "base/text.h"
#include "publish/attestation.h"

namespace pinwheel::publish {
namespace {

std::string digests_of(const Publication& publication) {
  std::map<std::string, std::string> digests;
  for (const auto& [project, files] : publication.projects) {
    for (const RecordedFile& file : files) digests[file.filename] = file.sha256;
  }
  std::string text;
  for (const auto& [name, sha256] : digests) text += fmt::format("{}  {}\n", sha256, name);
  return text;
}

}  // namespace

MadeAsset made_asset(const std::string& name, std::string bytes) {
  return {{name, bytes.size(), sha256_hex(bytes)}, std::move(bytes)};
}

std::vector<MadeAsset> describing_assets(const ReleaseFacts& facts,
                                         const Publication& publication) {
  std::vector<MadeAsset> assets = {made_asset(kDigestsName, digests_of(publication))};
  for (const auto& [name, record] : records_of({publication}, facts)) {
    assets.push_back(made_asset(name, record_json(record)));
  }
  return assets;
}

std::optional<WantedAsset> present_bundle(const WantedAsset& file, const GithubState& state) {
  constexpr uint64_t kSomeSize = 1;
  const std::string name = bundle_name(file.name);
  const bool published = state.release && !state.release->draft;
  const auto is_file = [&file](const GithubAsset& asset) {
    return asset.name == file.name && asset.complete && asset.sha256 == file.sha256;
  };
  const bool has_file = std::any_of(state.assets.begin(), state.assets.end(), is_file);
  for (const GithubAsset& asset : state.assets) {
    const bool usable = asset.complete && (published || has_file);
    if (asset.name == name && usable) return WantedAsset{name, asset.size, asset.sha256};
  }
  if (published) return WantedAsset{name, kSomeSize, sha256_hex("")};
  return std::nullopt;
}

Done check_tagged(const ReleaseFacts& facts, const std::string& target) {
  if (facts.commit.empty()) {
    return fail(ErrorKind::check,
                fmt::format("target {} needs a commit to tag, and the package is not in a git "
                            "repository",
                            quoted(target)),
                "publish from a checkout of the repository");
  }
  if (!facts.tag.empty()) return {};
  return fail(ErrorKind::check,
              fmt::format("target {} cannot tag commit {}: the plan has no tag", quoted(target),
                          quoted(facts.commit)),
              "commit the changes of tracked files; a plan that an older pinwheel froze has to be "
              "frozen again");
}

}  // namespace pinwheel::publish
