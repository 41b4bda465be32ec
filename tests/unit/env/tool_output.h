#pragma once
#include <fstream>
#include <iterator>
#include <string>

#include "unit/catch.h"
#include "unit/source_tree_path.h"

namespace pinwheel {

/// Output of a real tool: a file in tests/data/tool_output.
inline std::string tool_output(const std::string& name) {
  std::ifstream file(in_source_tree("tests/data/tool_output") / name);
  INFO(name);
  REQUIRE(file.good());
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace pinwheel
