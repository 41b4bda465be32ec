#pragma once
#include <cstddef>

namespace pinwheel::matrix {

// What a matrix file may have besides the bytes of `limits::kMatrix`. A file of a few kilobytes can
// otherwise stand for gigabytes, and the parser holds what it has read of a value, or of a list in
// brackets, until it sees the end of it.

inline constexpr size_t kMostNodes = 200'000;     ///< values and keys, with those of aliases
inline constexpr size_t kMostText = 16'000'000;   ///< bytes of them, with those of aliases
inline constexpr size_t kMostLevels = 64;         ///< of lists and mappings in each other
inline constexpr size_t kMostOfOne = 512'000;     ///< bytes that the parser needs for one value
inline constexpr size_t kLongestExcerpt = 200;    ///< of a line that is kept for messages
inline constexpr size_t kMostAxes = 64;           ///< and attributes
inline constexpr size_t kMostVariants = 200'000;  ///< combinations of axis values

}  // namespace pinwheel::matrix
