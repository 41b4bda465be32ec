#include "host/steps/release_contents.h"

#include <utility>

#include "base/limits.h"
#include "publish/release_sbom.h"
#include "wheel/archive.h"

namespace pinwheel::host {
namespace {

/// The bills of materials in a wheel; without the text of those beyond the limit of metadata.
Result<std::vector<publish::ContainedSbom>> contained_sboms(const publish::Artifact& file) {
  std::vector<publish::ContainedSbom> sboms;
  if (file.kind != publish::FileKind::wheel) return sboms;
  TRY(const wheel::WheelArchive archive, wheel::open_wheel(file.filename, *file.contents));
  const std::string directory = archive.info_path("sboms/");
  uint64_t left = limits::kMetadata.most;
  for (const wheel::ZipMember& member : archive.zip.members()) {
    if (!member.name.starts_with(directory) || member.name.ends_with("/")) continue;
    sboms.push_back({member.name, {}});
    if (member.size > left) continue;
    left -= member.size;
    TRY(sboms.back().text, archive.zip.read(member));
  }
  return sboms;
}

/// The bill of materials of the release.
Result<publish::MadeAsset> sbom_of(const plan::TaggedRelease& release,
                                   const std::vector<publish::Artifact>& files) {
  std::vector<publish::SbomFile> described;
  for (const publish::Artifact& artifact : files) {
    TRY(publish::SbomFile file, publish::sbom_file(artifact));
    TRY(file.contained, contained_sboms(artifact));
    described.push_back(std::move(file));
  }
  return publish::made_asset(
      publish::kSbomName,
      publish::release_sbom(release.project, release.version, std::move(described)));
}

}  // namespace

Result<ReleaseContents> release_contents(const plan::TaggedRelease& release,
                                         const std::vector<publish::Artifact>& files,
                                         std::vector<publish::MadeAsset> describing) {
  ReleaseContents contents;
  for (const publish::Artifact& artifact : files) {
    contents.assets.push_back({artifact.filename, artifact.size, artifact.sha256});
    contents.bytes.push_back(artifact.contents);
  }
  TRY(describing.emplace_back(), sbom_of(release, files));
  for (publish::MadeAsset& each : describing) {
    contents.assets.push_back(each.asset);
    contents.bytes.push_back(std::make_shared<ports::MemorySource>(std::move(each.bytes)));
  }
  return contents;
}

}  // namespace pinwheel::host
