#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "inspect/wheel_facts.h"

namespace pinwheel::inspect {

/// All device code of one kind, architecture, compression and PTX version in one file: a library
/// has a piece for each translation unit, thousands in all.
struct CodeTotal {
  std::string file;
  binary::CodeKind kind = binary::CodeKind::other;
  std::string architecture;
  binary::CodeCompression compression = binary::CodeCompression::none;
  binary::PtxVersion ptx = {};  ///< of PTX alone
  size_t pieces = 0;
  uint64_t bytes = 0;  ///< as stored in the file
};

/// Files in the wheel's order, within one by kind, architecture, compression and PTX version.
std::vector<CodeTotal> code_totals(const WheelFacts& facts);

}  // namespace pinwheel::inspect
