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

/// What a place on disk has. A place that does not exist has nothing, and what is not named as
/// pinwheel names its files, or is no file of a run, is not part of it: somebody else put it there.
store::Inventory take_inventory(const std::filesystem::path& root);

/// Removes what `collect` selects from a place on disk; nothing with `dry_run`.
/// `environment` if one of its directories is a link: what is behind it is not the place's.
enum class DryRun { no, yes };
Result<store::Collection> collect_tree(const std::filesystem::path& root,
                                       const store::CollectOptions& options, DryRun dry_run,
                                       const WaitingForLock& waiting = {});

/// An entry of a place on disk, with where it is.
struct TreeEntry {
  store::Address address;
  store::Entry entry;
};
/// All entries of a place on disk whose records are intact, by address.
std::vector<TreeEntry> read_entries(const std::filesystem::path& root);

struct CopiedEntries {
  size_t copied = 0;
  size_t there_already = 0;
  size_t left_out = 0;                 ///< that were not wanted
  std::set<std::string> damaged = {};  ///< steps of which a file is missing or another one
};

/// Copies the wanted entries of one place on disk to another, each to the addresses that it has
/// there; every blob is compared with its digest. A damaged one does not end it, a fault of the
/// other place does.
Result<CopiedEntries> copy_entries(const std::filesystem::path& from, TreePlace& to,
                                   const std::function<bool(const store::Entry& entry)>& wanted);

/// What is wrong in a place on disk: "`cas/HEX` has another sha256", "`ac/HEX` cannot be read".
/// Everything is read and hashed.
std::vector<std::string> verify_tree(const std::filesystem::path& root);

}  // namespace pinwheel::host
