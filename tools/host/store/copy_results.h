#pragma once
#include <filesystem>
#include <functional>
#include <set>
#include <string>

#include "base/result.h"
#include "host/store/tree_place.h"
#include "store/stored_result.h"

namespace pinwheel::host {

struct CopiedResults {
  size_t copied = 0;
  size_t there_already = 0;
  size_t left_out = 0;                 ///< that were not wanted
  std::set<std::string> damaged = {};  ///< steps of which a file is missing or another one
};

/// Copies the wanted results of one place on disk to another, each to the addresses that it has
/// there; every blob is compared with its digest. A damaged one does not end it, a fault of the
/// other place does.
Result<CopiedResults> copy_results(
    const std::filesystem::path& from, TreePlace& to,
    const std::function<bool(const store::StoredResult& result)>& wanted);

}  // namespace pinwheel::host
