#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <numeric>
#include <utility>

#include "base/braces.h"
#include "base/visible_text.h"

namespace pinwheel {
namespace {

/// Matches one `[...]` set at the start of `pattern`; returns its length, or 0 when it is not
/// closed.
size_t match_set(std::string_view pattern, char c, bool& matched) {
  size_t i = 1;
  const bool negated = i < pattern.size() && (pattern[i] == '!' || pattern[i] == '^');
  if (negated) ++i;
  bool found = false;
  for (bool first = true; i < pattern.size() && (first || pattern[i] != ']'); first = false) {
    const char low = pattern[i];
    char high = low;
    if (i + 2 < pattern.size() && pattern[i + 1] == '-' && pattern[i + 2] != ']') {
      high = pattern[i + 2];
      i += 2;
    }
    found = found || (low <= c && c <= high);
    ++i;
  }
  if (i >= pattern.size()) return 0;
  matched = found != negated;
  return i + 1;
}

/// The length of the pattern that matches `c`; 0 when it does not match.
size_t match_one(std::string_view pattern, char c) {
  if (pattern.empty()) return 0;
  if (pattern[0] == '?') return 1;
  if (pattern[0] == '[') {
    bool matched = false;
    const size_t used = match_set(pattern, c, matched);
    if (used > 0) return matched ? used : 0;
  }
  return pattern[0] == c ? 1 : 0;
}

/// Linear in practice: only the last `*` backtracks.
bool glob_plain(std::string_view pattern, std::string_view text) {
  size_t p = 0;
  size_t t = 0;
  size_t star = std::string_view::npos;
  size_t star_text = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_text = t;
      continue;
    }
    if (const size_t used = match_one(pattern.substr(std::min(p, pattern.size())), text[t])) {
      p += used;
      ++t;
      continue;
    }
    if (star == std::string_view::npos) return false;
    p = star + 1;
    t = ++star_text;
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

/// Insertions, deletions, substitutions and transpositions (optimal string alignment).
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before_last(b.size() + 1);
  std::vector<size_t> last(b.size() + 1);
  std::vector<size_t> row(b.size() + 1);
  std::iota(last.begin(), last.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t substitute = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, substitute});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

/// Splits "4 GiB" into 4 and "GiB".
std::optional<std::pair<double, std::string_view>> number_and_unit(std::string_view text) {
  text = trim(text);
  double number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  // Above 2^53 a double cannot represent every integer, and from_chars accepts "inf".
  constexpr double kLargest = 9007199254740992.0;
  if (error != std::errc{} || !(number >= 0 && number <= kLargest)) return std::nullopt;
  return std::pair{number, trim(text.substr(static_cast<size_t>(end - text.data())))};
}

}  // namespace

std::string_view trim(std::string_view text) {
  const auto space = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  while (!text.empty() && space(text.front())) text.remove_prefix(1);
  while (!text.empty() && space(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (size_t start = 0;;) {
    const size_t end = text.find(separator, start);
    parts.emplace_back(text.substr(start, end == std::string_view::npos ? end : end - start));
    if (end == std::string_view::npos) return parts;
    start = end + 1;
  }
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string joined;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) joined += separator;
    joined += parts[i];
  }
  return joined;
}

std::string to_lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

std::string value_at(const std::map<std::string, std::string>& values, const std::string& name) {
  const auto found = values.find(name);
  return found == values.end() ? std::string() : found->second;
}

std::string replace_all(std::string text, std::string_view from, std::string_view to) {
  if (from.empty()) return text;
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

bool glob_match(std::string_view pattern, std::string_view text) {
  if (pattern.find('{') == std::string_view::npos) return glob_plain(pattern, text);
  const std::vector<std::string> plain = expand_braces(pattern);
  return std::any_of(plain.begin(), plain.end(),
                     [text](const std::string& one) { return glob_plain(one, text); });
}

bool is_glob(std::string_view text) {
  return text.find_first_of("*?[") != std::string_view::npos || has_alternatives(text);
}

std::optional<std::string> nearest(std::string_view word,
                                   const std::vector<std::string>& candidates) {
  const std::string* best = nullptr;
  size_t best_distance = 0;
  for (const std::string& candidate : candidates) {
    const size_t distance = edit_distance(to_lower(word), to_lower(candidate));
    if (best == nullptr || distance < best_distance) {
      best = &candidate;
      best_distance = distance;
    }
  }
  const size_t limit = std::max<size_t>(1, std::max<size_t>(word.size(), 3) / 3);
  if (best == nullptr || best_distance > limit) return std::nullopt;
  return *best;
}

std::string suggest(std::string_view word, const std::vector<std::string>& candidates) {
  if (candidates.empty()) return {};
  if (const auto near = nearest(word, candidates))
    return fmt::format("did you mean {}?", quoted(*near));
  constexpr size_t kShown = 12;
  std::vector<std::string> names;
  for (const std::string& name : candidates) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  if (names.size() <= kShown) return "expected one of " + quoted_list(names);
  const std::vector<std::string> first(names.begin(), names.begin() + kShown);
  return fmt::format("expected one of {} and {} more", quoted_list(first), names.size() - kShown);
}

std::string quoted(std::string_view text) {
  return fmt::format("`{}`", visible(text));
}

std::string quoted(const std::string& text) {
  return quoted(std::string_view(text));
}

std::string quoted(std::string& text) {
  return quoted(std::string_view(text));
}

std::string quoted(const char* text) {
  return quoted(std::string_view(text));
}

std::string quoted_list(const std::vector<std::string>& names) {
  std::vector<std::string> parts;
  parts.reserve(names.size());
  for (const std::string& name : names) parts.push_back(quoted(name));
  return join(parts, ", ");
}

std::string shell_quote(std::string_view argument) {
  constexpr std::string_view kSafe =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
  if (!argument.empty() && argument.find_first_not_of(kSafe) == std::string_view::npos) {
    return std::string(argument);
  }
  // The shell ignores such a quote. It ensures that no line of a printed script is a workflow
  // command for a GitHub runner.
  std::string out = replace_all(std::string(argument), "'", R"('\'')");
  if (out.find_first_of("\r\n") != out.npos) out = replace_all(std::move(out), "::", ":'':");
  return "'" + replace_all(std::move(out), "##[", "##''[") + "'";
}

std::string shell_join(const std::vector<std::string>& argv) {
  std::vector<std::string> parts;
  parts.reserve(argv.size());
  for (const std::string& argument : argv) parts.push_back(shell_quote(argument));
  return join(parts, " ");
}

std::string format_bytes(uint64_t bytes) {
  constexpr std::array kUnits = {"B", "KB", "MB", "GB", "TB"};
  auto value = static_cast<double>(bytes);
  size_t unit = 0;
  while (value >= 999.5 && unit + 1 < kUnits.size()) {
    value /= 1000;
    ++unit;
  }
  if (unit == 0) return fmt::format("{} B", bytes);
  return fmt::format("{:.{}f} {}", value, value < 9.95 ? 1 : 0, kUnits[unit]);
}

std::string format_duration(std::chrono::milliseconds elapsed) {
  const auto ms = elapsed.count();
  if (ms < 10'000) return fmt::format("{:.1f}s", static_cast<double>(ms) / 1000);
  const auto seconds = ms / 1000;
  if (seconds < 60) return fmt::format("{}s", seconds);
  if (seconds < 3600) return fmt::format("{}m{:02}s", seconds / 60, seconds % 60);
  return fmt::format("{}h{:02}m", seconds / 3600, seconds / 60 % 60);
}

std::string plural(size_t count, std::string_view noun) {
  if (count == 1) return fmt::format("1 {}", noun);
  if (noun.ends_with("ry")) return fmt::format("{} {}ies", count, noun.substr(0, noun.size() - 1));
  return fmt::format("{} {}s", count, noun);
}

std::optional<uint64_t> parse_bytes(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, uint64_t>, 12> kUnits = {{{"", 1},
                                                                             {"b", 1},
                                                                             {"k", 1'000},
                                                                             {"kb", 1'000},
                                                                             {"m", 1'000'000},
                                                                             {"mb", 1'000'000},
                                                                             {"g", 1'000'000'000},
                                                                             {"gb", 1'000'000'000},
                                                                             {"kib", 1ULL << 10},
                                                                             {"mib", 1ULL << 20},
                                                                             {"gib", 1ULL << 30},
                                                                             {"tib", 1ULL << 40}}};
  constexpr double kMostBytes = 0x1p63;
  const auto parts = number_and_unit(text);
  if (!parts) return std::nullopt;
  for (const auto& [name, factor] : kUnits) {
    if (to_lower(parts->second) != name) continue;
    const double bytes = parts->first * static_cast<double>(factor);
    if (bytes > kMostBytes) return std::nullopt;
    return static_cast<uint64_t>(bytes);
  }
  return std::nullopt;
}

std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, int64_t>, 9> kUnits = {{{"ms", 1},
                                                                           {"s", 1000},
                                                                           {"sec", 1000},
                                                                           {"m", 60'000},
                                                                           {"min", 60'000},
                                                                           {"h", 3'600'000},
                                                                           {"hour", 3'600'000},
                                                                           {"hours", 3'600'000},
                                                                           {"d", 86'400'000}}};
  // The difference between a time of day and this is within the range of the system's clock.
  constexpr double kMostMilliseconds = 36'500 * 86'400'000.0;
  const auto parts = number_and_unit(text);
  if (!parts) return std::nullopt;
  for (const auto& [name, factor] : kUnits) {
    if (to_lower(parts->second) != name) continue;
    const double count = parts->first * static_cast<double>(factor);
    if (count > kMostMilliseconds) return std::nullopt;
    return std::chrono::milliseconds(static_cast<int64_t>(count));
  }
  return std::nullopt;
}

}  // namespace pinwheel
