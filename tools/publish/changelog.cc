#include "publish/changelog.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/text.h"
#include "pep/version.h"

namespace pinwheel::publish {
namespace {

constexpr size_t kMostLevel = 6;

/// A heading and the lines that it takes.
struct Heading {
  size_t level = 0;  ///< 0: none
  size_t lines = 1;
  std::string_view text = {};
};

/// The character of a line that underlines a heading; 0 for any other line.
char underline(std::string_view line) {
  line = trim(line);
  constexpr size_t kShortest = 3;
  const bool plain = line.size() >= kShortest && (line[0] == '=' || line[0] == '-') &&
                     line.find_first_not_of(line[0]) == std::string_view::npos;
  return plain ? line[0] : '\0';
}

Heading heading_at(const std::vector<std::string>& lines, size_t at) {
  const std::string_view line = trim(lines[at]);
  const size_t marks = std::min(line.find_first_not_of('#'), line.size());
  if (marks > 0 && marks <= kMostLevel && (marks == line.size() || line[marks] == ' ')) {
    return {marks, 1, line.substr(marks)};
  }
  const char below = at + 1 < lines.size() ? underline(lines[at + 1]) : '\0';
  if (line.empty() || below == '\0' || underline(line) != '\0') return {};
  return {below == '=' ? size_t{1} : size_t{2}, 2, line};
}

bool has_version(std::string_view heading, const pep::Version& version) {
  std::string words(heading);
  std::ranges::replace_if(
      words, [](char c) { return c != '.' && c != '+' && c != '!' && !is_alphanumeric(c); }, ' ');
  return std::ranges::any_of(split(words, ' '), [&](const std::string& word) {
    if (word.find('.') == std::string::npos) return false;
    const Result<pep::Version> parsed = pep::parse_version(word);
    return parsed && *parsed == version;
  });
}

bool is_fence(std::string_view line) {
  return trim(line).starts_with("```") || trim(line).starts_with("~~~");
}

}  // namespace

std::optional<std::string> changelog_section(std::string_view text, std::string_view version) {
  const Result<pep::Version> wanted = pep::parse_version(version);
  if (!wanted) return std::nullopt;
  const std::vector<std::string> lines = split(replace_all(std::string(text), "\r\n", "\n"), '\n');
  std::optional<std::string> section;
  size_t level = 0;
  bool fenced = false;
  for (size_t at = 0; at < lines.size(); ++at) {
    if (is_fence(lines[at])) fenced = !fenced;
    const Heading heading = fenced ? Heading{} : heading_at(lines, at);
    if (section && heading.level != 0 && heading.level <= level) break;
    if (section) {
      *section += lines[at] + "\n";
    } else if (heading.level != 0 && has_version(heading.text, *wanted)) {
      section.emplace();
      level = heading.level;
      at += heading.lines - 1;
    }
  }
  if (section) section = std::string(trim(*section));
  return section;
}

}  // namespace pinwheel::publish
