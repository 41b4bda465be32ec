#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "host/store/tree_lease.h"
#include "store/collect.h"
#include "store/stored_result.h"

namespace pinwheel::host {

/// What a place on disk has. A place that does not exist has nothing, and what is not named as
/// pinwheel names its files, or is no file of a run, is not part of it: somebody else put it there.
store::Inventory take_inventory(const std::filesystem::path& root);

/// What a place on disk has and `collect` gives away, removed; nothing with `dry_run`.
/// `environment` if one of its directories is a link: what is behind it is not the place's.
enum class DryRun { no, yes };
Result<store::Collection> collect_tree(const std::filesystem::path& root,
                                       const store::CollectOptions& options, DryRun dry_run,
                                       const WaitingForLock& waiting = {});

/// A result of a place on disk, with where it is.
struct TreeResult {
  store::Address address;
  store::StoredResult result;
};
/// All results of a place on disk whose records are intact, by address.
std::vector<TreeResult> read_results(const std::filesystem::path& root);

/// What is wrong in a place on disk: "`cas/HEX` has another sha256", "`ac/HEX` cannot be read".
/// Everything is read and hashed.
std::vector<std::string> verify_tree(const std::filesystem::path& root);

}  // namespace pinwheel::host
