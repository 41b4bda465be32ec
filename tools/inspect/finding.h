#pragma once
#include <string>

#include "base/error.h"

namespace pinwheel::inspect {

/// One broken rule.
struct Finding {
  std::string rule;           ///< id, "platform-tag"
  std::string file;           ///< the member it concerns, or the wheel itself
  std::string message;        ///< what is wrong, names in back-ticks
  std::string evidence = {};  ///< what was seen; empty when the message says it all
  std::string hint = {};      ///< what mends it; empty when nobody knows

  bool operator==(const Finding&) const = default;
};

/// An error of kind `check`: "[platform-tag] `demo/_C.so`: needs GLIBC_2.34 (libc.so.6)".
Error to_error(const Finding& finding);

}  // namespace pinwheel::inspect
