#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/secret.h"
#include "cli/diagnostics.h"
#include "cli/options.h"

namespace pinwheel::cli {

/// stdout is data, stderr is for people, the log is for whoever helps them. The capabilities of the
/// terminal and the environment are read once.
class Streams {
 public:
  explicit Streams(const GlobalOptions& options,
                   std::shared_ptr<Diagnostics> diagnostics = std::make_shared<Diagnostics>());

  /// Data, on stdout. A closed pipe is not reported.
  void data(std::string_view text);
  /// A message for people, on stderr; suppressed by `--quiet`. May be called with whole lines from
  /// any thread.
  void note(std::string_view text);
  /// The same, also printed under `--quiet`.
  void problem(std::string_view text);
  void warn(const Error& warning);
  void error(const Error& error);
  /// Hides the secret in the command's log, and makes GitHub Actions mask it in the job's, unless
  /// it is too short. Written to stderr, because stdout may be redirected to a file.
  void mask(const Secret& secret) const;

  /// Why data could not be written to stdout, such as a full disk; nullopt if all of it was
  /// written, or the reader closed the pipe.
  std::optional<Error> lost_data() const;

  Diagnostics& diagnostics() const { return *diagnostics_; }
  const ports::LogHandle& log() const { return diagnostics_->log(); }
  Color color() const { return color_; }
  bool stderr_is_terminal() const { return terminal_; }
  bool in_github() const { return github_; }
  Verbosity verbosity() const { return verbosity_; }

 private:
  std::shared_ptr<Diagnostics> diagnostics_;
  Color color_ = Color::never;
  Verbosity verbosity_ = Verbosity::normal;
  bool terminal_ = false;
  bool github_ = false;
  int data_error_ = 0;  ///< errno of the first write to stdout that failed
};

}  // namespace pinwheel::cli
