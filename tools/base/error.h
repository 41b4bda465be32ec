#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pinwheel {

/// The kind of an error, in the detail that a caller needs to decide on a retry, an exit code or a
/// report. Decisions depend on the kind, never on the message text.
enum class ErrorKind {
  usage,             ///< the command line is wrong
  config,            ///< the matrix or another input file is wrong
  nothing_selected,  ///< a selection left nothing to do
  step,              ///< a build or a test failed
  timeout,           ///< a step ran past its time limit
  unfinished,        ///< a build was stopped before its end, and the next run continues it
  transient,         ///< a transient fault, such as the network or a busy server; worth a retry
  out_of_memory,     ///< a step was killed for memory; worth one retry with half the jobs
  environment,       ///< an engine, interpreter, toolkit or disk is missing
  check,             ///< a gate failed
  unplanned_wheel,   ///< a gate failed that every other build of the project would also fail
  publish,           ///< an index refused an upload, or its reply is unknown
  drift,  ///< a generated file or a lock is out of date, or a frozen plan is of another checkout
  interrupted,  ///< the user asked to stop, or an earlier stop is propagated
  terminated,   ///< the system asked to stop: SIGTERM, or SIGHUP of a closed terminal
  internal,     ///< a bug in pinwheel
};

/// The name of a kind in `--json`, the journal and reports, e.g. `nothing-selected`.
std::string_view to_string(ErrorKind kind);
/// The inverse of `to_string`; nullopt when no kind has that name.
std::optional<ErrorKind> parse_error_kind(std::string_view name);
/// The documented exit code of a command that ended with an error of this kind (`interrupted` is
/// 130, `terminated` is 143); those of steps: `plan::exit_code`.
int exit_code(ErrorKind kind);
/// `interrupted` for SIGINT, `terminated` for any other signal that stops a command.
ErrorKind kind_of_stop(int signal);

/// A place in a text file. Lines and columns count from 1; 0 means unknown.
struct Location {
  std::string file;
  int line = 0;
  int column = 0;
  std::string excerpt;  ///< the source line, without its newline; empty when unknown

  bool operator==(const Location&) const = default;
};

/// An error as data. `message` is lower case, without a full stop, names in back-ticks.
struct Error {
  ErrorKind kind = ErrorKind::internal;
  std::string message;
  std::optional<Location> at = std::nullopt;
  std::string hint = {};           ///< how to fix it; empty when unknown
  std::vector<Error> causes = {};  ///< the underlying errors, outermost first

  Error&& with_hint(std::string text) &&;
  Error&& with_cause(Error cause) &&;
  Error&& with_location(Location place) &&;
};

enum class Color { never, always };

/// The only text form of an error, several lines, ends in a newline. Everything in it is made
/// visible (`base/visible_text`):
///     error: unknown axis `pyton`
///       --> matrix/kernels.yaml:7:3
///        |
///      7 |   pyton: ["3.11"]
///        |   ^
///     caused by: ...
///     hint: did you mean `python`?
std::string render(const Error& error, Color color = Color::never);
/// The same form for a warning.
std::string render_warning(const Error& warning, Color color = Color::never);

}  // namespace pinwheel
