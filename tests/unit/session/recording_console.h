#pragma once
#include <string>
#include <utility>
#include <vector>

#include "session/console.h"

namespace pinwheel::session {

/// A console that records its output.
class RecordingConsole final : public Console {
 public:
  std::vector<std::string> notes = {};
  std::vector<std::string> warnings = {};
  std::vector<std::string> documents = {};
  std::vector<report::Annotation> annotations = {};
  mutable std::vector<std::string> summaries = {};
  mutable int hidden = 0;  ///< the number of hidden secrets
  std::vector<std::string> json_lines = {};
  std::vector<std::string> drawings = {};
  bool github = false;
  bool terminal = false;
  prepare::Verbosity loudness = prepare::Verbosity::normal;

  void note(std::string_view text) override { notes.emplace_back(text); }
  void warn(const Error& warning) override { warnings.push_back(warning.message); }
  void mask(const Secret& /*secret*/) const override {}
  void hide(const Secret& /*secret*/) const override { ++hidden; }
  const ports::LogHandle& log() const override { return log_; }
  Done log_into(const std::filesystem::path& /*directory*/) override { return {}; }
  void file(std::string_view text) override { documents.emplace_back(text); }
  void json(std::string_view text) override { documents.emplace_back(text); }
  void drawing(std::string_view text) override { drawings.emplace_back(text); }
  void json_line(std::string_view text) override { json_lines.emplace_back(text); }
  void command(std::string_view /*text*/) override {}
  void annotate(report::Annotation annotation) override {
    annotations.push_back(std::move(annotation));
  }
  void step_summary(std::string_view markdown) const override { summaries.emplace_back(markdown); }
  bool has_step_summary() const override { return github; }
  Color color() const override { return Color::never; }
  prepare::Verbosity verbosity() const override { return loudness; }
  bool in_github() const override { return github; }
  bool stderr_is_terminal() const override { return terminal; }
  size_t note_columns() const override { return 0; }
  size_t window_columns() const override { return 0; }

 private:
  ports::LogHandle log_ = ports::no_log();
};

}  // namespace pinwheel::session
