#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/secret.h"
#include "cli/options.h"

namespace pinwheel::cli {

/// stdout is data, stderr is for people. What a terminal and the environment allow is read once.
class Streams {
 public:
  explicit Streams(const GlobalOptions& options);

  /// Data, on stdout. A closed pipe is not an error worth telling.
  void data(std::string_view text);
  /// Something a person may want to know, on stderr; dropped under `--quiet`. Whole lines may come
  /// from any thread.
  void note(std::string_view text);
  void warn(const Error& warning);
  void error(const Error& error);
  /// Has GitHub Actions hide the secret in the job's log; elsewhere nothing. It goes to stderr, for
  /// stdout may be kept in a file.
  void mask(const Secret& secret) const;

  /// Why data did not reach stdout, a full disk for instance; nothing when all of it did, or when
  /// its reader went away.
  std::optional<Error> lost_data() const;

  Color color() const { return color_; }
  bool stderr_is_terminal() const { return terminal_; }
  bool in_github() const { return github_; }
  Verbosity verbosity() const { return verbosity_; }

 private:
  Color color_ = Color::never;
  Verbosity verbosity_ = Verbosity::normal;
  bool terminal_ = false;
  bool github_ = false;
  int data_error_ = 0;  ///< errno of the first write to stdout that failed
};

}  // namespace pinwheel::cli
