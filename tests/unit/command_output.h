#pragma once
#include <array>
#include <cstdio>
#include <string>

#include "unit/catch.h"

namespace pinwheel {

/// The unchanged output of a shell command; the test fails when the command does.
inline std::string output_of(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string out;
  std::array<char, 4096> part{};
  while (const size_t got = fread(part.data(), 1, part.size(), pipe)) out.append(part.data(), got);
  INFO(command);
  INFO(out);
  REQUIRE(pclose(pipe) == 0);
  return out;
}

}  // namespace pinwheel
