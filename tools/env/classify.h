#pragma once
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "ports/process.h"

namespace pinwheel::env {

/// A row of a tool's table: output that holds `text` means `kind`. The first row that is found
/// decides, so rows of what lasts stand before rows of what may pass.
struct Symptom {
  std::string_view text;  ///< a glob over one line of output, `*` at its ends implied
  ErrorKind kind;
  std::string_view hint;
};

/// What a failed tool meant.
struct Diagnosis {
  ErrorKind kind = ErrorKind::step;
  std::string line = {};  ///< the line of output that says it, trimmed; may be empty
  std::string hint = {};
};

/// How the child ended decides before what it said: cancelled is `interrupted`, a time limit
/// `timeout`, a kill for memory `out_of_memory`. Then the table; what no row knows is `step`, which
/// is not retried.
Diagnosis diagnose(const ports::Exit& exit, std::string_view output,
                   std::span<const Symptom> table);

/// The same as an error: "`what` failed: line", with the exit code or signal when there is no line.
Error to_error(const Diagnosis& diagnosis, std::string_view what, const ports::Exit& exit);

/// How a child ended that did not end well: "exit code 3", "ended by signal 9", "ran past its time
/// limit".
std::string ending(const ports::Exit& exit);

}  // namespace pinwheel::env
