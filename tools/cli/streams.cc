#include "cli/streams.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "base/text.h"

namespace pinwheel::cli {
namespace {

bool set(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

Colour decide_colour(ColourMode mode, bool terminal) {
  if (mode == ColourMode::always) return Colour::always;
  if (mode == ColourMode::never || set("NO_COLOR")) return Colour::never;
  if (set("FORCE_COLOR") || set("CLICOLOR_FORCE")) return Colour::always;
  return terminal ? Colour::always : Colour::never;
}

void write_all(FILE* stream, std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stream);
  std::fflush(stream);
}

/// A workflow command's message and properties escape what would end them.
std::string escape_property(std::string text) {
  for (const auto& [from, to] :
       {std::pair{"%", "%25"}, std::pair{"\r", "%0D"}, std::pair{"\n", "%0A"},
        std::pair{":", "%3A"}, std::pair{",", "%2C"}}) {
    text = replace_all(std::move(text), from, to);
  }
  return text;
}

std::string annotation(std::string_view level, const Error& error) {
  std::string place;
  if (error.at && error.at->line > 0) {
    place = fmt::format("file={},line={},col={},", escape_property(error.at->file), error.at->line,
                        error.at->column);
  }
  std::string message = error.message;
  if (!error.hint.empty()) message += "\nhint: " + error.hint;
  message = replace_all(std::move(message), "%", "%25");
  message = replace_all(std::move(message), "\r", "%0D");
  message = replace_all(std::move(message), "\n", "%0A");
  return fmt::format("::{} {}title=pinwheel::{}\n", level, place, message);
}

}  // namespace

Streams::Streams(const GlobalOptions& options)
    : verbosity_(options.verbosity),
      terminal_(isatty(STDERR_FILENO) == 1),
      github_(std::getenv("GITHUB_ACTIONS") != nullptr &&
              std::string_view(std::getenv("GITHUB_ACTIONS")) == "true") {
  colour_ = decide_colour(options.colour, terminal_);
}

void Streams::data(std::string_view text) {
  write_all(stdout, text);
}

void Streams::note(std::string_view text) {
  if (verbosity_ != Verbosity::quiet) write_all(stderr, text);
}

void Streams::warn(const Error& warning) {
  if (github_) write_all(stderr, annotation("warning", warning));
  write_all(stderr, render_warning(warning, colour_));
}

void Streams::error(const Error& error) {
  if (github_) write_all(stderr, annotation("error", error));
  write_all(stderr, render(error, colour_));
}

}  // namespace pinwheel::cli
