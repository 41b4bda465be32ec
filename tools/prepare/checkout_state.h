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

/// What a repository has beside its own files.
struct BesideFiles {
  bool submodules = false;
  bool lfs = false;  ///< a `.gitattributes` leaves files to Git LFS
};
/// Reads the files of a checkout; nothing outside git.
BesideFiles beside_files(ports::Git& git, ports::Files& files,
                         const std::filesystem::path& directory);

/// Warns of each submodule that is not checked out, and of files of Git LFS that were not fetched:
/// a build would lack them. Nothing for a package from an index.
void warn_of_lacking_files(const Host& host, const Loaded& loaded, ports::Notices& notices);

/// The facts of the repository that has the files of a package. Kind `environment` if it tracks
/// none of them: it is somebody else's, and its tags say nothing of the package. Kind `config` if
/// it ignores them all, so that nothing can be built.
Result<ports::GitFacts> own_repository(ports::Git& git, const std::filesystem::path& directory);

}  // namespace pinwheel::prepare
