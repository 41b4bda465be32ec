#pragma once
#include <filesystem>
#include <vector>

#include "base/result.h"
#include "ports/files.h"
#include "ports/git.h"
#include "ports/notices.h"
#include "prepare/host.h"
#include "prepare/load.h"

namespace pinwheel::prepare {

/// Submodules and LFS files of a repository.
struct RepositoryTraits {
  bool submodules = false;
  bool lfs = false;  ///< a `.gitattributes` stores files in Git LFS
};
/// Reads the files of a checkout. Nothing is found outside git.
RepositoryTraits repository_traits(ports::Git& git, ports::Files& files,
                                   const std::filesystem::path& directory);

/// Warns about each submodule that is not checked out, and about files of Git LFS that were not
/// fetched: a build would lack them. Skipped for a package from an index.
void warn_of_missing_files(const Host& host, const Loaded& loaded, ports::Notices& notices);

/// The facts of the repository that contains a package's files. Kind `environment` if it tracks
/// none of them: it belongs to something else, and its tags are not the package's. Kind `config` if
/// it ignores them all, so that nothing can be built.
Result<ports::GitFacts> own_repository(ports::Git& git, const std::filesystem::path& directory);

}  // namespace pinwheel::prepare
