#pragma once
#include <cstddef>

namespace pinwheel::matrix {

// The limits of a matrix file besides the bytes of `limits::kMatrix`. A file of a few kilobytes can
// otherwise represent gigabytes, and the parser stores a value, or a list in brackets, until its
// end.

inline constexpr size_t kMostNodes = 200'000;     ///< values and keys, with those of aliases
inline constexpr size_t kMostText = 16'000'000;   ///< bytes of them, with those of aliases
inline constexpr size_t kMostLevels = 64;         ///< levels of nested lists and mappings
inline constexpr size_t kMostOfOne = 512'000;     ///< bytes that the parser reads for one value
inline constexpr size_t kLongestExcerpt = 200;    ///< of a line that is stored for messages
inline constexpr size_t kMostAxes = 64;           ///< and attributes
inline constexpr size_t kMostVariants = 200'000;  ///< combinations of axis values

}  // namespace pinwheel::matrix
