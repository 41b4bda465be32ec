#include "report/github_command.h"

#include <fmt/format.h>

#include <utility>

#include "base/text.h"
#include "base/visible_text.h"

namespace pinwheel::report {
namespace {

std::string_view level_name(AnnotationLevel level) {
  switch (level) {
    case AnnotationLevel::notice:
      return "notice";
    case AnnotationLevel::warning:
      return "warning";
    case AnnotationLevel::error:
      break;
  }
  return "error";
}

/// A message for people: visible text, without workflow commands of its own (`base/visible_text`).
std::string github_message(std::string_view text) {
  return github_data(without_commands(visible_lines(text)));
}

/// A property of a command (`title=...`): `:` and `,` end it and are escaped, too.
std::string github_property(std::string_view text) {
  return replace_all(replace_all(github_message(text), ":", "%3A"), ",", "%2C");
}

/// "file=a.cc,line=12,col=5,"; empty without a line.
std::string place_properties(const std::optional<Location>& at) {
  if (!at || at->line <= 0) return {};
  std::string out = fmt::format("file={},line={},", github_property(at->file), at->line);
  if (at->column > 0) out += fmt::format("col={},", at->column);
  return out;
}

}  // namespace

std::string github_data(std::string_view text) {
  std::string out = replace_all(std::string(text), "%", "%25");
  out = replace_all(std::move(out), "\r", "%0D");
  return replace_all(std::move(out), "\n", "%0A");
}

std::string github_annotation(const Annotation& annotation) {
  return fmt::format("::{} {}title={}::{}\n", level_name(annotation.level),
                     place_properties(annotation.at), github_property(annotation.title),
                     github_message(annotation.message));
}

}  // namespace pinwheel::report
