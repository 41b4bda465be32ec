#pragma once
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "host/store/tree_lease.h"
#include "host/store/tree_place.h"
#include "store/collect.h"
#include "store/entry.h"

namespace pinwheel::host {

/// The contents of a place on disk. A place that does not exist is empty. Files without a name in
/// pinwheel's format, or that do not belong to a run, are not part of it: somebody else created
/// them.
store::Inventory take_inventory(const std::filesystem::path& root);

/// Removes the files that `collect` selects from a place on disk; nothing with `dry_run`.
/// `environment` if one of its directories is a link: its target does not belong to the place.
enum class DryRun { no, yes };
Result<store::Collection> collect_tree(const std::filesystem::path& root,
                                       const store::CollectOptions& options, DryRun dry_run,
                                       const WaitingForLock& waiting = {});

/// An entry of a place on disk, with its address.
struct TreeEntry {
  store::Address address;
  store::Entry entry;
};
/// All entries of a place on disk whose records are intact, by address.
std::vector<TreeEntry> read_entries(const std::filesystem::path& root);

struct CopiedEntries {
  size_t copied = 0;
  size_t there_already = 0;
  size_t left_out = 0;                 ///< entries that were not requested
  std::set<std::string> damaged = {};  ///< steps with a missing or wrong file
};

/// Copies the requested entries of one place on disk to another, each to its addresses; every blob
/// is compared with its digest. A damaged entry does not end the copy, a fault of the other place
/// does.
Result<CopiedEntries> copy_entries(const std::filesystem::path& from, TreePlace& to,
                                   const std::function<bool(const store::Entry& entry)>& wanted);

struct VerifyProgress {
  size_t files = 0;    ///< hashed
  size_t all = 0;      ///< to hash
  uint64_t bytes = 0;  ///< hashed
};
/// The faults of a place on disk: "`cas/HEX` has another sha256", "`ac/HEX` cannot be read". All
/// files are read and hashed, except those that are wrong by their size: another size than a result
/// states, or more than 20 GB. `progress` is called by several threads.
std::vector<std::string> verify_tree(
    const std::filesystem::path& root,
    const std::function<void(const VerifyProgress&)>& progress = {});

}  // namespace pinwheel::host
