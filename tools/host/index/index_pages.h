#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "host/index/index_reader.h"
#include "publish/index_audit.h"

namespace pinwheel::host {

/// The projects and sub-indexes to read.
struct PageScope {
  std::vector<std::string> projects = {};  ///< empty: those on the root pages
  std::vector<std::string> labels = {};    ///< sub-indexes beside those that the index lists
  unsigned connections = 8;                ///< pages that are read at the same time
};

/// The project pages of an index and of its sub-indexes, as `gather_index` describes, without facts
/// of their files. A page that cannot be read has a fault. Errors are those of `gather_index`.
Result<std::vector<publish::AuditedPage>> read_index_pages(const IndexReader& reader,
                                                           const PageScope& scope);

}  // namespace pinwheel::host
