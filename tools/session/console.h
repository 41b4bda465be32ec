#pragma once
#include <cstddef>
#include <string_view>

#include "base/error.h"
#include "ports/notices.h"
#include "prepare/options.h"
#include "report/github_command.h"

namespace pinwheel::session {

/// Where a run prints: its status, its summary and its data. `cli/streams.h` implements it for the
/// terminal.
class Console : public ports::Notices {
 public:
  /// The text of a file, on stdout, byte for byte.
  virtual void file(std::string_view text) = 0;
  /// A JSON document, on stdout. Its values are not changed.
  virtual void json(std::string_view text) = 0;
  /// A message in color, or drawn over earlier lines. Parts from outside must be visible text
  /// already.
  virtual void drawing(std::string_view text) = 0;
  /// A line of JSON for a program, on stderr.
  virtual void json_line(std::string_view text) = 0;
  /// A workflow command of pinwheel's own for a GitHub runner, on stderr.
  virtual void command(std::string_view text) = 0;
  /// An annotation in GitHub Actions, with its place relative to the workspace; elsewhere nothing.
  virtual void annotate(report::Annotation annotation) = 0;
  /// Appends Markdown to the job's summary, where `$GITHUB_STEP_SUMMARY` names one.
  virtual void step_summary(std::string_view markdown) const = 0;
  virtual bool has_step_summary() const = 0;

  virtual Color color() const = 0;
  virtual prepare::Verbosity verbosity() const = 0;
  virtual bool in_github() const = 0;
  virtual bool stderr_is_terminal() const = 0;
  /// The columns for a table on stderr; 0: unlimited.
  virtual size_t note_columns() const = 0;
  /// The columns of the terminal's window now; 0: unknown.
  virtual size_t window_columns() const = 0;
};

}  // namespace pinwheel::session
