#pragma once
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"
#include "plan/outcome.h"
#include "store/domain.h"

namespace pinwheel::journal {

/// An attempt is about to start.
struct Started {
  std::string id;
  std::string key;
  int attempt = 1;
  std::string at = {};   ///< UTC, "2026-01-02T03:04:05Z"
  std::string log = {};  ///< path of the attempt's log; empty in records of an older pinwheel
};

/// A step that was started has its outcome.
struct Finished {
  plan::StepOutcome outcome;
  std::string at = {};
  /// That of the run. Records of an older pinwheel do not say: no release takes what they have.
  store::Domain domain = store::Domain::branch;
};

using Record = std::variant<Started, Finished>;

/// The first line of a journal, with its newline: `{"journal":1}`.
std::string header_line();
/// `config`, with a hint, if the line is not a header or has another version.
Done check_header(std::string_view line);

/// One line, with its newline.
std::string to_line(const Record& record);
/// The inverse, without the newline; `config` if the line is not a record.
Result<Record> parse_line(std::string_view line);

}  // namespace pinwheel::journal
