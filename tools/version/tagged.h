#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "pep/version.h"
#include "ports/git.h"
#include "version/rules.h"

namespace pinwheel::version {

/// A tag that is a version by the rules.
struct Tagged {
  std::string name;
  pep::Version version;
  int distance = 0;    ///< commits from the tag to HEAD
  uint64_t build = 0;  ///< build number of a re-cut; 0: none
};

/// The versions among a repository's tags.
struct TaggedVersions {
  std::optional<Tagged> on_head;  ///< the highest on HEAD itself; of a version, the last re-cut
  /// The highest in HEAD's history. Not a re-cut if the version itself has a tag there, because
  /// development numbers count from it.
  std::optional<Tagged> reachable;
  std::optional<Tagged> anywhere;    ///< the highest of the repository; its distance is unset
  std::vector<std::string> ignored;  ///< reachable, matching, but not a version
};

/// Reads the tags that match `rules.match`. `config` for a pattern without a version
/// (`pep/tag_pattern`).
Result<TaggedVersions> read_tags(const ports::GitFacts& facts, const Rules& rules);

/// The tag on HEAD with a version of `package`, for a package whose version comes from its files:
/// the highest that matches `match`; if `match` is empty, the highest that begins with the
/// package's name ("pkg-v1.0", "libs/pkg/1.0"), else the highest without a name ("v1.0", "1.0",
/// "release-1.0"). Tags that begin with another name belong to other packages. `config` for a
/// pattern without a version.
Result<std::optional<Tagged>> tag_of_package(const ports::GitFacts& facts, const std::string& match,
                                             const std::string& package,
                                             Recuts recuts = Recuts::ignore);

/// The tag of a release.
struct ReleaseTag {
  std::string name;
  bool exists = false;     ///< on HEAD
  bool elsewhere = false;  ///< the repository has it at another commit
};

/// The build number of a release, and whether tags have it.
struct ReleaseCut {
  uint64_t build = 0;  ///< 0: it is no re-cut
  Recuts recuts = Recuts::ignore;
};

/// The tag on HEAD that is this version of the package, else the name of the tag to create. nullopt
/// for a version that has no tag: a development version, or one with a local part. The tag of a
/// re-cut ends with `-rN`; if such tags are not read, it is only the version's tag on HEAD.
/// `config` for a pattern without a version.
Result<std::optional<ReleaseTag>> release_tag(const ports::GitFacts& facts,
                                              const std::string& match, const std::string& package,
                                              const std::string& version,
                                              const ReleaseCut& cut = {});

}  // namespace pinwheel::version
