#pragma once
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/hidden_text.h"
#include "base/secret.h"
#include "cli/diagnostics.h"
#include "cli/options.h"
#include "session/console.h"

namespace pinwheel::cli {

/// stdout is for data, stderr for people, the log for those who help them. The capabilities of the
/// terminal and the environment are read once.
///
/// All output passes here, and may contain text from outside. `data`, `note` and `problem`
/// make it visible and break up the commands of a GitHub runner (`base/visible_text`); the other
/// functions document their exceptions. Secrets passed to `hide` or `mask` are hidden
/// everywhere.
class Streams final : public session::Console {
 public:
  explicit Streams(const prepare::GlobalOptions& options,
                   std::shared_ptr<Diagnostics> diagnostics = std::make_shared<Diagnostics>());

  /// Data that people read, on stdout. A closed pipe is not reported, here and below.
  void data(std::string_view text);
  /// The same for lines of prose and of labels, wrapped if the terminal is narrower.
  void lines(std::string_view text);
  void json(std::string_view text) override;
  void file(std::string_view text) override;
  /// The output of a build or a test, on stdout, in its colors. It may contain workflow commands
  /// only outside GitHub Actions.
  void output(std::string_view text);
  /// On stderr; suppressed by `--quiet`.
  void note(std::string_view text) override;
  /// The same, also printed under `--quiet`.
  void problem(std::string_view text);
  void drawing(std::string_view text) override;
  void json_line(std::string_view text) override;
  void command(std::string_view text) override;
  void annotate(report::Annotation annotation) override;
  void step_summary(std::string_view markdown) const override;
  bool has_step_summary() const override;
  void warn(const Error& warning) override;
  void error(const Error& error);
  /// Masks the secret in GitHub Actions, unless it is too short. Written to stderr, because stdout
  /// may be redirected to a file.
  void mask(const Secret& secret) const override;
  void hide(const Secret& secret) const override;
  /// Hides the secret in everything on stderr, where hiding a value that is not a secret does no
  /// harm.
  void hide_in_messages(const Secret& secret) const;

  /// The error of writing data to stdout, such as a full disk; nullopt if all of it was written, or
  /// the reader closed the pipe.
  std::optional<Error> lost_data() const;

  Diagnostics& diagnostics() const { return *diagnostics_; }
  const ports::LogHandle& log() const override { return diagnostics_->log(); }
  Done log_into(const std::filesystem::path& directory) override;
  Color color() const override { return color_; }
  /// The columns for a table on stdout and on stderr; 0: unlimited (cli/streams).
  size_t data_columns() const;
  size_t note_columns() const override;
  size_t window_columns() const override;
  bool stderr_is_terminal() const override { return terminal_; }
  bool in_github() const override { return github_; }
  prepare::Verbosity verbosity() const override { return verbosity_; }

 private:
  /// The hidden secrets, shared by threads.
  struct Hidden {
    std::mutex mutex;
    HiddenText text;
    HiddenText messages;
  };
  void to_stdout(std::string_view text);
  void to_stderr(std::string_view text) const;
  std::string shown(std::string_view text) const;

  std::shared_ptr<Diagnostics> diagnostics_;
  std::shared_ptr<Hidden> hidden_ = std::make_shared<Hidden>();
  Color color_ = Color::never;
  prepare::Verbosity verbosity_ = prepare::Verbosity::normal;
  bool terminal_ = false;
  bool github_ = false;
  int data_error_ = 0;  ///< errno of the first write to stdout that failed
};

/// The columns for help, which no program parses: `COLUMNS`, else those of the terminal; 0 if
/// neither is known.
size_t help_columns(int descriptor);

/// The current columns of the terminal; 0 if it is not a terminal.
size_t window_columns(int descriptor);

}  // namespace pinwheel::cli
