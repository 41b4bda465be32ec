#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "binary/elf.h"
#include "inspect/wheel_facts.h"
#include "pep/tag.h"

namespace pinwheel::repair {

/// The platform that a repaired wheel must run on.
struct Target {
  /// 28 of manylinux_2_28, 2 of musllinux_1_2; nullopt: the one that the binaries justify.
  std::optional<int> minor = std::nullopt;

  bool operator==(const Target&) const = default;
};

/// Reads `--plat`: "manylinux_2_28_x86_64", "manylinux_2_28", "manylinux2014", "musllinux_1_2", or
/// "auto". Kind `usage` for anything else, and for an architecture or a C library that is not the
/// wheel's.
Result<Target> parse_target(const std::string& text, const inspect::WheelFacts& wheel);

/// The architecture of the wheel's libraries, "x86_64"; empty without any.
std::string architecture_of(const inspect::WheelFacts& wheel);

/// The C library that the wheel is for, according to the needs of its libraries; without any,
/// according to its tags.
pep::Libc libc_of(const inspect::WheelFacts& wheel);

/// Kind `check` for a wheel that cannot be repaired: it needs two C libraries, or is for an
/// architecture without policies, or its file name is not that of a wheel.
Done check_repairable(const inspect::WheelFacts& wheel);

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

/// The inputs of the decisions.
struct Facts {
  const inspect::WheelFacts& wheel;
  std::vector<std::string> exclude = {};          ///< sonames or globs that others provide
  Target target = {};                             ///< the requested platform
  std::map<std::string, Library> libraries = {};  ///< found, by the name under which they are
                                                  ///< needed
  std::set<std::string> missing = {};             ///< searched for, not found
};

}  // namespace pinwheel::repair
