#pragma once
#include <fstream>
#include <iterator>
#include <string>

#include "unit/catch.h"

namespace pinwheel {

/// What a real tool printed: a file of tests/data/tool_output.
inline std::string tool_output(const std::string& name) {
  std::ifstream file(std::string(PINWHEEL_SOURCE_DIR) + "/tests/data/tool_output/" + name);
  INFO(name);
  REQUIRE(file.good());
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace pinwheel
