#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "exports/table.h"

namespace pinwheel::exports {

/// One build of a table, as people look at it.
struct BuildSummary {
  Build build;
  std::vector<std::string> pythons = {};  ///< "cp39" before "cp310"
  uint32_t libraries = 0;                 ///< those of one Python
  uint64_t symbols = 0;                   ///< that they export
};
/// In the order of `Table::builds()`.
std::vector<BuildSummary> summaries(const Table& table);

/// One library of which two tables say different things.
struct Difference {
  std::string library;  ///< "2.13.0 x86_64 libtorch_python.so cp311"
  std::string what;     ///< "exports 3 symbols that the table lacks", "is not in the table"
};
/// What `read`, read anew, says otherwise than `table` about the libraries that `read` has.
std::vector<Difference> differences(const Table& table, const Table& read);

}  // namespace pinwheel::exports
