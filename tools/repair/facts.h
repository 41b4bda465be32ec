#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "binary/elf.h"
#include "inspect/wheel_facts.h"
#include "repair/target.h"

namespace pinwheel::repair {

/// A library that was found on the machine of the build.
struct Library {
  std::string path;    ///< there, without links
  std::string sha256;  ///< hexadecimal
  binary::Elf elf;
  /// The Python distribution whose files include it, normalized; empty: none.
  std::string distribution = {};
  /// Its directory relative to site-packages, "tbb/lib"; only with a distribution.
  std::string installed = {};
};

/// What the decisions are made from.
struct Facts {
  const inspect::WheelFacts& wheel;
  std::vector<std::string> exclude = {};          ///< sonames or globs that others provide
  Target target = {};                             ///< the requested platform
  std::map<std::string, Library> libraries = {};  ///< found, by the name they are needed under
  std::set<std::string> missing = {};             ///< looked for, not found
};

}  // namespace pinwheel::repair
