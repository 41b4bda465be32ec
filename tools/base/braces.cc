#include "base/braces.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

#include "base/parse_integer.h"
#include "base/text.h"

namespace pinwheel {
namespace {

using BraceTexts = std::vector<std::string>;

/// The braces that begin at a position of a pattern: their contents, and where they end.
struct Braces {
  std::vector<std::string_view> parts;  ///< split at the commas of this level
  size_t end = 0;                       ///< after the closing brace
};

/// nullopt if the brace at `open` has no partner. As in bash, a closing brace ends only braces with
/// a comma or a range, and is literal in others: `{a},b}` is `a}` and `b`.
std::optional<Braces> braces_at(std::string_view pattern, size_t open) {
  Braces found;
  size_t start = open + 1;
  size_t level = 0;
  bool range = false;
  for (size_t at = start; at < pattern.size(); ++at) {
    const char c = pattern[at];
    if (c == '{') ++level;
    if (c == '}' && level > 0) {
      --level;
    } else if (c == '}' && (range || !found.parts.empty())) {
      found.parts.push_back(pattern.substr(start, at - start));
      found.end = at + 1;
      return found;
    } else if (c == ',' && level == 0) {
      found.parts.push_back(pattern.substr(start, at - start));
      start = at + 1;
    } else if (level == 0 && pattern.substr(at, 2) == ".." && pattern.substr(at + 2, 1) != "}") {
      range = true;
    }
  }
  return std::nullopt;
}

/// The ends and the step of "1..10..3", or of letters as their codes.
struct BraceRange {
  int from = 0;
  int to = 0;
  int step = 1;
  size_t width = 0;  ///< of numbers that one end pads with zeros
  bool letters = false;
};

bool is_padded(std::string_view number) {
  if (number.starts_with('-')) number.remove_prefix(1);
  return number.size() > 1 && number[0] == '0';
}

std::optional<BraceRange> parse_range(std::string_view text) {
  const std::vector<std::string> ends = split(replace_all(std::string(text), "..", "\n"), '\n');
  if (ends.size() < 2 || ends.size() > 3) return std::nullopt;
  BraceRange range;
  const auto letter = [](const std::string& end) {
    return end.size() == 1 && is_alphanumeric(end[0]) && !is_digit(end[0]);
  };
  const std::optional<int> from = parse_integer(ends[0]);
  const std::optional<int> to = parse_integer(ends[1]);
  if (from && to) {
    range.from = *from;
    range.to = *to;
    if (is_padded(ends[0]) || is_padded(ends[1])) {
      range.width = std::max(ends[0].size(), ends[1].size());
    }
  } else if (letter(ends[0]) && letter(ends[1])) {
    range.from = static_cast<unsigned char>(ends[0][0]);
    range.to = static_cast<unsigned char>(ends[1][0]);
    range.letters = true;
  } else {
    return std::nullopt;
  }
  if (ends.size() == 2) return range;
  const std::optional<int> step = parse_integer(ends[2]);
  if (!step) return std::nullopt;
  range.step = std::max(1, std::abs(*step));
  return range;
}

/// nullopt for more texts than a pattern may expand to.
std::optional<BraceTexts> texts_of(const BraceRange& range) {
  const int64_t distance = std::abs(static_cast<int64_t>(range.to) - range.from);
  const auto count = static_cast<size_t>(distance / range.step + 1);
  if (count > kMostBraceTexts) return std::nullopt;
  BraceTexts texts;
  texts.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    const int64_t offset = static_cast<int64_t>(i) * range.step;
    const int64_t value = range.from < range.to ? range.from + offset : range.from - offset;
    texts.push_back(range.letters ? std::string(1, static_cast<char>(value))
                                  : fmt::format("{:0{}}", value, range.width));
  }
  return texts;
}

std::optional<BraceTexts> expand_level(std::string_view pattern, int depth);

/// The texts of all parts; nullopt beyond the limits.
std::optional<BraceTexts> texts_of(const Braces& braces, int depth) {
  BraceTexts texts;
  for (const std::string_view part : braces.parts) {
    const std::optional<BraceTexts> inner = expand_level(part, depth + 1);
    if (!inner || texts.size() + inner->size() > kMostBraceTexts) return std::nullopt;
    texts.insert(texts.end(), inner->begin(), inner->end());
  }
  return texts;
}

/// Every beginning combined with every end; nullopt beyond the limit.
std::optional<BraceTexts> crossed(const BraceTexts& beginnings, const BraceTexts& ends) {
  if (beginnings.size() * ends.size() > kMostBraceTexts) return std::nullopt;
  BraceTexts texts;
  texts.reserve(beginnings.size() * ends.size());
  for (const std::string& beginning : beginnings) {
    for (const std::string& end : ends) texts.push_back(beginning + end);
  }
  return texts;
}

/// The braces that begin at `open`, unless they are literal, as `{}` at the beginning always is.
std::optional<Braces> alternatives_at(std::string_view pattern, size_t open) {
  if (open == 0 && pattern.starts_with("{}")) return std::nullopt;
  std::optional<Braces> braces = braces_at(pattern, open);
  const bool single = braces && braces->parts.size() == 1;
  if (single && !parse_range(braces->parts[0])) return std::nullopt;
  return braces;
}

std::optional<BraceTexts> expand_level(std::string_view pattern, int depth) {
  if (depth > kDeepestBraces) return std::nullopt;
  BraceTexts texts = {""};
  const auto append = [&texts](std::string_view literal) {
    for (std::string& text : texts) text += literal;
  };
  size_t done = 0;
  for (size_t open = pattern.find('{'); open != pattern.npos; open = pattern.find('{', done)) {
    const std::optional<Braces> braces = alternatives_at(pattern, open);
    if (!braces) {
      append(pattern.substr(done, open + 1 - done));
      done = open + 1;
      continue;
    }
    append(pattern.substr(done, open - done));
    done = braces->end;
    const std::optional<BraceTexts> choices = braces->parts.size() == 1
                                                  ? texts_of(*parse_range(braces->parts[0]))
                                                  : texts_of(*braces, depth);
    std::optional<BraceTexts> longer = choices ? crossed(texts, *choices) : std::nullopt;
    if (!longer) return std::nullopt;
    texts = *std::move(longer);
  }
  append(pattern.substr(done));
  return texts;
}

}  // namespace

BraceTexts expand_braces(std::string_view pattern) {
  return expand_level(pattern, 0).value_or(BraceTexts{std::string(pattern)});
}

bool has_alternatives(std::string_view pattern) {
  for (size_t open = pattern.find('{'); open != pattern.npos; open = pattern.find('{', open + 1)) {
    if (alternatives_at(pattern, open)) return true;
  }
  return false;
}

}  // namespace pinwheel
