#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "host/index/index_reader.h"
#include "host/index/verified_files.h"
#include "publish/index_audit.h"

namespace pinwheel::host {

enum class Hashes { check, leave_out };

/// What of an index is read.
struct IndexScope {
  std::vector<std::string> projects = {};  ///< empty: those on its root page
  std::vector<std::string> labels = {};    ///< sub-indexes to read beside those that it lists
  Hashes hashes = Hashes::check;
  unsigned connections = 8;  ///< files that are read at the same time
};

struct IndexProgress {
  size_t files = 0;    ///< finished
  size_t all = 0;      ///< files on the pages that were read
  uint64_t bytes = 0;  ///< received to be hashed
};

/// The pages of an index with the facts of their files.
struct GatheredIndex {
  std::vector<publish::AuditedPage> pages = {};
  size_t hashed = 0;    ///< files that were read to be hashed
  size_t verified = 0;  ///< files that were not read again: verified before, or under another page
  uint64_t bytes = 0;   ///< received to be hashed
};

/// Reads the pages of an index and, of each file, its first byte, the copy of METADATA beside it,
/// METADATA in the wheel (if there is no copy, or the file is hashed) and all bytes, to hash them.
/// What cannot be read is a fact, not an error. A sub-index is an entry of the root page that lists
/// directories instead of files; of an index in a directory, every such directory. `on_progress` is
/// called often, on any thread.
///
/// Files that `verified` knows are not hashed again; files whose hashes are right are added to it.
/// Errors: `config` if there is no such index or no such project, `transient` or `environment` if
/// it does not answer, `check` if it has more pages or files than the limits allow.
Result<GatheredIndex> gather_index(const IndexReader& reader, VerifiedFiles& verified,
                                   const IndexScope& scope,
                                   const std::function<void(const IndexProgress&)>& on_progress);

}  // namespace pinwheel::host
