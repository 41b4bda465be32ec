#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "plan/step.h"
#include "prepare/store_places.h"
#include "store/place_description.h"

namespace pinwheel::session {

/// The input of `remote_cache_variables`.
struct RemoteCacheRequest {
  const prepare::RunStore& store;
  const std::vector<store::PlaceDescription>& of_matrix;
  const std::filesystem::path& directory;               ///< the base of relative paths
  const std::map<std::string, std::string>& variables;  ///< of the user
};

/// The variables that let the compiler caches of a plan's builds share their objects in the store:
/// in the last place that the program can use, because places are listed nearest first.
///
/// - ccache: a directory, or `http://` (CCACHE_REMOTE_STORAGE), which it reaches only in
///   builds with a network;
/// - sccache: a directory that the run may write (SCCACHE_DIR), or a bucket (SCCACHE_BUCKET) if
///   every build has a network and the credentials as secrets: without them, its server would not
///   start.
///
/// A directory that follows an `artifacts:` place contains the result of one job, and is not used.
/// Each domain has separate objects, so that a pull request cannot change what a release links.
/// Empty if no build has such a cache, or the user's variables choose a place.
std::map<std::string, std::string> remote_cache_variables(const plan::Plan& plan,
                                                          const RemoteCacheRequest& request);

}  // namespace pinwheel::session
