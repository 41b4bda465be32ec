#pragma once
#include <string>
#include <string_view>

#include "base/error.h"

namespace pinwheel::inspect {

/// What a broken rule means: the wheel fails somewhere, or it is only worse than it could be.
enum class Severity { error, warning };
/// "error", "warning".
std::string_view to_string(Severity severity);

/// One broken rule.
struct Finding {
  std::string rule;           ///< id, "platform-tag"
  std::string file;           ///< the member it concerns, or the wheel itself
  std::string message;        ///< what is wrong, names in back-ticks
  std::string evidence = {};  ///< what was seen; empty when the message says it all
  std::string hint = {};      ///< what mends it; empty when nobody knows
  Severity severity = Severity::error;

  bool operator==(const Finding&) const = default;
};

/// What the rule has to say of a file that it would have judged and that could not be read.
Finding unreadable(std::string rule, const std::string& file, const Error& error);

/// An error of kind `check`: "[platform-tag] `demo/_C.so`: needs GLIBC_2.34 (libc.so.6)".
Error to_error(const Finding& finding);

}  // namespace pinwheel::inspect
