#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "base/result.h"
#include "base/secret.h"
#include "ports/files.h"
#include "ports/http.h"
#include "publish/promotion.h"

namespace pinwheel::host {

/// A published release to get the files of.
struct ReleaseFetch {
  const publish::ReleaseRecord& record;
  const publish::ReleaseSource& source;  ///< an index or a directory
  /// Exists. A file that an earlier call completed in it is not received again.
  std::filesystem::path downloads;
  MaskSecret mask = {};  ///< called with the password in the URL of an index
};

/// The place of the files of a release while they are promoted. No other process changes it while
/// this exists.
struct ReleaseDownloads {
  std::filesystem::path directory;
  std::unique_ptr<ports::FileLock> lock;
};

/// The place in a cache directory for the files of a record, which exists from then on; waits until
/// no other process uses it.
Result<ReleaseDownloads> release_downloads(ports::Files& files, const std::filesystem::path& cache,
                                           const publish::ReleaseRecord& record);

/// How much of a release is on this machine.
struct FetchProgress {
  size_t files = 0;  ///< finished
  size_t all = 0;
  uint64_t bytes = 0;  ///< received or found
  uint64_t all_bytes = 0;
};

/// The paths of the files of a record, in its order, once the source has all of them. Of a server,
/// they are received into `downloads`, up to the recorded size, complete and with the recorded
/// SHA-256 or not at all, several at the same time. Those of a directory stay where they are, and
/// are not hashed: it is a directory index, of which all sub-indexes count, or contains the files
/// themselves. `on_progress` is called often, on any thread.
///
/// Errors: those of `publish::select_recorded`; `check` for other bytes; `config` if there is no
/// such index or project; `transient` or `environment` if it does not answer.
Result<std::vector<std::filesystem::path>> fetch_release(
    ports::Http& http, const ReleaseFetch& fetch,
    const std::function<void(const FetchProgress&)>& on_progress);

}  // namespace pinwheel::host
