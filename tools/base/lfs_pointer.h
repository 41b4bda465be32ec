#pragma once
#include <cstdint>
#include <string_view>

namespace pinwheel {

/// Larger files are no pointers.
inline constexpr uint64_t kLargestLfsPointer = 1024;

/// Whether a file is what Git LFS leaves in place of one that was not fetched.
constexpr bool is_lfs_pointer(std::string_view contents) {
  return contents.size() <= kLargestLfsPointer &&
         contents.starts_with("version https://git-lfs.github.com/spec/v1\n");
}

}  // namespace pinwheel
