#include "cli/streams.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "base/fit_text.h"
#include "base/parse_integer.h"
#include "base/visible_text.h"
#include "host/system/system_error.h"
#include "report/error_lines.h"

namespace pinwheel::cli {
namespace {

constexpr size_t kFewestColumns = 20;
constexpr size_t kLaunchersColumns = 80;

/// The number in `COLUMNS`; 0 if it is not a number.
size_t named_columns() {
  const char* const variable = std::getenv("COLUMNS");
  const int named = parse_integer(variable == nullptr ? "" : variable).value_or(0);
  return named > 0 ? std::max(static_cast<size_t>(named), kFewestColumns) : 0;
}

}  // namespace

size_t window_columns(int descriptor) {
  winsize size{};
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

size_t help_columns(int descriptor) {
  const size_t named = named_columns();
  return named > 0 ? named : window_columns(descriptor);
}

namespace {

/// The columns for a table on a file descriptor: those of the terminal, unless `COLUMNS` overrides
/// them. Without a terminal, only a `COLUMNS` below 80 counts, because launchers set 80 for
/// programs without one. At least 20; 0 if unknown, because a program may read the output.
size_t terminal_columns(int descriptor) {
  if (isatty(descriptor) == 1) return help_columns(descriptor);
  const size_t named = named_columns();
  return named < kLaunchersColumns ? named : 0;
}

std::string_view text_of_variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

bool set(const char* name) {
  return !text_of_variable(name).empty();
}

Color decide_color(prepare::ColorMode mode, bool terminal) {
  if (mode == prepare::ColorMode::always) return Color::always;
  if (mode == prepare::ColorMode::never || set("NO_COLOR")) return Color::never;
  if (set("FORCE_COLOR") || set("CLICOLOR_FORCE")) return Color::always;
  return terminal ? Color::always : Color::never;
}

/// Returns 0 or an errno value.
int write_all(FILE* stream, std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stream) == text.size();
  return std::fflush(stream) == 0 && written ? 0 : errno;
}

/// The path relative to the workspace, where GitHub looks for files, whatever the working directory
/// of a step.
std::string path_in_workspace(const std::string& file) {
  const std::string_view workspace = text_of_variable("GITHUB_WORKSPACE");
  if (workspace.empty()) return file;
  std::error_code unknown;
  const std::filesystem::path absolute = std::filesystem::absolute(file, unknown);
  const std::filesystem::path inside = absolute.lexically_normal().lexically_relative(workspace);
  if (unknown || inside.empty() || *inside.begin() == "..") return file;
  return inside.string();
}

report::Annotation annotation_of(report::AnnotationLevel level, const Error& error) {
  std::string message = report::error_lines(error);
  message.pop_back();
  return {level, "pinwheel", std::move(message), report::place_of(error)};
}

}  // namespace

Streams::Streams(const prepare::GlobalOptions& options, std::shared_ptr<Diagnostics> diagnostics)
    : diagnostics_(std::move(diagnostics)),
      verbosity_(options.verbosity),
      terminal_(isatty(STDERR_FILENO) == 1),
      github_(text_of_variable("GITHUB_ACTIONS") == "true") {
  color_ = decide_color(options.color, terminal_);
}

std::string Streams::shown(std::string_view text) const {
  const std::lock_guard lock(hidden_->mutex);
  return hidden_->text.mask(text);
}

void Streams::to_stdout(std::string_view text) {
  const int number = write_all(stdout, shown(text));
  if (data_error_ == 0) data_error_ = number;
}

void Streams::to_stderr(std::string_view text) const {
  std::string safe = shown(text);
  {
    const std::lock_guard lock(hidden_->mutex);
    safe = hidden_->messages.mask(safe);
  }
  write_all(stderr, safe);
}

size_t Streams::data_columns() const {
  return terminal_columns(STDOUT_FILENO);
}

size_t Streams::window_columns() const {
  return cli::window_columns(STDERR_FILENO);
}

Done Streams::log_into(const std::filesystem::path& directory) {
  return diagnostics_->log_into(directory);
}

size_t Streams::note_columns() const {
  return terminal_columns(STDERR_FILENO);
}

void Streams::data(std::string_view text) {
  file(without_commands(visible_lines(text)));
}

void Streams::lines(std::string_view text) {
  data(fit_lines(visible_lines(text), data_columns()));
}

void Streams::json(std::string_view text) {
  file(visible_json(text));
}

void Streams::file(std::string_view text) {
  to_stdout(text);
}

void Streams::output(std::string_view text) {
  const std::string seen = visible_output(text);
  file(github_ ? without_commands(seen) : seen);
}

void Streams::note(std::string_view text) {
  if (verbosity_ != prepare::Verbosity::quiet) problem(text);
}

void Streams::problem(std::string_view text) {
  to_stderr(without_commands(visible_lines(text)));
}

void Streams::drawing(std::string_view text) {
  to_stderr(without_commands(visible_drawing(text)));
}

void Streams::json_line(std::string_view text) {
  to_stderr(visible_json(text));
}

void Streams::command(std::string_view text) {
  to_stderr(text);
}

void Streams::annotate(report::Annotation annotation) {
  if (!github_) return;
  if (annotation.at) annotation.at->file = path_in_workspace(annotation.at->file);
  command(report::github_annotation(annotation));
}

void Streams::step_summary(std::string_view markdown) const {
  const std::string path(text_of_variable("GITHUB_STEP_SUMMARY"));
  if (!path.empty()) std::ofstream(path, std::ios::app) << shown(markdown);
}

bool Streams::has_step_summary() const {
  return !text_of_variable("GITHUB_STEP_SUMMARY").empty();
}

void Streams::warn(const Error& warning) {
  log()->write({ports::LogLevel::debug, "warning", {{"text", render_warning(warning)}}});
  annotate(annotation_of(report::AnnotationLevel::warning, warning));
  drawing(render_warning(warning, color_));
}

void Streams::error(const Error& error) {
  log()->write({ports::LogLevel::debug, "error", {{"text", render(error)}}});
  annotate(annotation_of(report::AnnotationLevel::error, error));
  drawing(render(error, color_));
}

void Streams::hide(const Secret& secret) const {
  log()->hide(secret);
  const std::lock_guard lock(hidden_->mutex);
  hidden_->text.add(secret);
}

void Streams::hide_in_messages(const Secret& secret) const {
  const std::lock_guard lock(hidden_->mutex);
  hidden_->messages.add(secret);
}

void Streams::mask(const Secret& secret) const {
  hide(secret);
  if (!github_ || !secret.can_be_hidden()) return;
  write_all(stderr, fmt::format("::add-mask::{}\n", report::github_data(secret.reveal())));
}

std::optional<Error> Streams::lost_data() const {
  if (data_error_ == 0 || data_error_ == EPIPE) return std::nullopt;
  return host::system_error("written", "standard output", data_error_);
}

}  // namespace pinwheel::cli
