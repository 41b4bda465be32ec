#pragma once
#include <cstdint>
#include <string>

#include "base/bytes.h"

namespace pinwheel::binary {

/// A container of CUDA device code with these entries that announces `size` bytes of them.
inline std::string container(const std::string& entries, uint64_t size) {
  std::string out;
  append_le<uint32_t>(out, 0xba55ed50);
  append_le<uint16_t>(out, 1);
  append_le<uint16_t>(out, 16);
  append_le<uint64_t>(out, size);
  return out + entries;
}

inline std::string container(const std::string& entries) {
  return container(entries, entries.size());
}

}  // namespace pinwheel::binary
