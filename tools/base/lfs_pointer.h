#pragma once
#include <cstdint>
#include <string_view>

namespace pinwheel {

/// Larger files are not pointers.
inline constexpr uint64_t kLargestLfsPointer = 1024;

/// Whether a file is the pointer that Git LFS writes in place of a file that was not fetched.
constexpr bool is_lfs_pointer(std::string_view contents) {
  return contents.size() <= kLargestLfsPointer &&
         contents.starts_with("version https://git-lfs.github.com/spec/v1\n");
}

}  // namespace pinwheel
