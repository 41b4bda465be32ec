#pragma once
#include <string>
#include <vector>

namespace pinwheel::init {

/// What a command that repairs wheels is in a matrix.
struct RepairWords {
  bool is_empty = false;  ///< nothing is repaired
  std::vector<std::string> external =
      {};                   ///< the sonames and globs of `auditwheel repair --exclude`
  std::string others = {};  ///< what else it does; empty: `build.repair: auto` does all of it
};

/// Reads a `repair-wheel-command`. `auditwheel repair` itself is what builds do anyway.
RepairWords read_repair_command(const std::string& command);

}  // namespace pinwheel::init
