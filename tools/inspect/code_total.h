#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "inspect/wheel_facts.h"

namespace pinwheel::inspect {

/// The total of all device code with the same kind, architecture, compression and PTX version in a
/// file: a library has one piece per translation unit, thousands in all.
struct CodeTotal {
  std::string file;
  binary::CodeKind kind = binary::CodeKind::other;
  std::string architecture;
  binary::CodeCompression compression = binary::CodeCompression::none;
  binary::PtxVersion ptx = {};  ///< for PTX only
  size_t pieces = 0;
  uint64_t bytes = 0;  ///< as stored in the file
};

/// Files in wheel order, within a file by kind, architecture, compression and PTX version.
std::vector<CodeTotal> code_totals(const WheelFacts& facts);

}  // namespace pinwheel::inspect
