#pragma once
#include <filesystem>
#include <vector>

#include "base/result.h"
#include "cli/load.h"
#include "cli/streams.h"
#include "ports/files.h"
#include "ports/git.h"

namespace pinwheel::cli {

/// What a repository has beside its own files.
struct BesideFiles {
  bool submodules = false;
  bool lfs = false;  ///< a `.gitattributes` leaves files to Git LFS
};
/// Reads the files of a checkout; nothing outside git.
BesideFiles beside_files(ports::Git& git, ports::Files& files,
                         const std::filesystem::path& directory);

/// A warning for each submodule below a directory that is not checked out, and one for files of Git
/// LFS that were not fetched: a build would lack them.
std::vector<Error> lacking_files(ports::Git& git, ports::Files& files,
                                 const std::filesystem::path& directory);

/// Prints them for the package of a matrix; nothing for one from an index.
void warn_of_lacking_files(ports::Files& files, ports::Git& git, const Loaded& loaded,
                           Streams& streams);

/// The facts of the repository that has the files of a package. Kind `environment` if it tracks
/// none of them: it is somebody else's, and its tags say nothing of the package. Kind `config` if
/// it ignores them all, so that nothing can be built.
Result<ports::GitFacts> own_repository(ports::Git& git, const std::filesystem::path& directory);

}  // namespace pinwheel::cli
