#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "exports/table.h"

namespace pinwheel::exports {

/// A summary of one build in a table, for display.
struct BuildSummary {
  Build build;
  std::vector<std::string> pythons = {};  ///< "cp39" before "cp310"
  uint32_t libraries = 0;                 ///< libraries for one Python
  uint64_t symbols = 0;                   ///< symbols that they export
};
/// In the order of `Table::builds()`.
std::vector<BuildSummary> summaries(const Table& table);

/// A difference between two tables in one library.
struct Difference {
  std::string library;  ///< "2.13.0 x86_64 libtorch_python.so cp311"
  std::string what;     ///< "exports 3 symbols that the table lacks", "is not in the table"
};
/// The differences between `table` and a fresh `read`, for the libraries in `read`.
std::vector<Difference> differences(const Table& table, const Table& read);

/// Whether a Python tag sorts before another, by the number in it: cp39, cp310, cp313, cp313t.
inline bool python_before(std::string_view left, std::string_view right) {
  const auto key = [](std::string_view tag) {
    const auto digits = static_cast<size_t>(
        std::count_if(tag.begin(), tag.end(), [](char c) { return c >= '0' && c <= '9'; }));
    return std::pair(digits, tag);
  };
  return key(left) < key(right);
}

}  // namespace pinwheel::exports
