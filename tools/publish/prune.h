#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "publish/catalog.h"
#include "publish/pinned_version.h"
#include "publish/upload_time.h"

namespace pinwheel::publish {

/// Installers with a cooldown ignore files that are newer; this is the usual one.
inline constexpr std::chrono::days kUsualCooldown{7};
/// Versions older than the cooldown that stay, so that an installer with one has a choice.
inline constexpr size_t kSettledVersions = 2;

/// Whether versions other than development releases may be removed.
enum class PruneScope { nightlies, all_versions };

/// A version that a lock names.
struct LockedVersion {
  PinnedVersion pinned;
  std::string lock;  ///< the file
};

/// What stays in an index; a version stays if one of the rules holds.
struct PruneRules {
  std::optional<std::chrono::milliseconds> keep = std::nullopt;  ///< age of the newest file
  std::optional<size_t> keep_last =
      std::nullopt;  ///< newest versions; yanked ones after all others
  PruneScope scope = PruneScope::nightlies;
  std::vector<LockedVersion> locked = {};
  std::string project = {};  ///< normalized; empty: every project
};

/// Why a version stays, or that it is removed.
enum class PruneVerdict { removed, locked, release, recent, undated, newest, settled };

/// A version with its local versions, in all places of the index.
struct PrunedVersion {
  std::string project;
  pep::Version version;  ///< public
  size_t files = 0;
  uint64_t bytes = 0;
  std::optional<UploadTime> uploaded =
      std::nullopt;     ///< its newest file; nullopt if any has no time
  bool yanked = false;  ///< all of its files
  PruneVerdict verdict = PruneVerdict::removed;
  std::string detail = {};  ///< the lock of `locked`, the place of `settled` ("" is the root)
};

struct Pruning {
  Catalog catalog;
  std::vector<PrunedVersion> versions;  ///< by project, newest first
  std::vector<std::string> retired;     ///< names of the files that are no longer listed, sorted
};

/// Removes old versions from the pages of an index. Nightlies and other versions are judged apart,
/// by project. In each place, the newest `kSettledVersions` versions stay that are older than
/// `kUsualCooldown`, have upload times and are not yanked: an installer of that place finds a
/// version in spite of a cooldown. Kind `nothing_selected` if the index does not have the project.
Result<Pruning> prune(Catalog catalog, const PruneRules& rules,
                      std::chrono::system_clock::time_point now);

/// "newer than 30d", "`uv.lock` names it": the reason of a verdict, for people. `keep` is the word
/// that the user wrote.
std::string prune_reason(const PrunedVersion& version, const PruneRules& rules,
                         const std::string& keep);

/// "removed", "locked", "recent": the verdict as data.
std::string_view to_string(PruneVerdict verdict);

}  // namespace pinwheel::publish
