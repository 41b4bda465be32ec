#include "matrix/axis_value.h"

#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/text.h"

namespace pinwheel::matrix {
namespace {

std::string slug(std::string_view value) {
  std::string out;
  for (const char c : to_lower(value)) {
    const bool allowed = is_digit(c) || (c >= 'a' && c <= 'z') || c == '.' || c == '_' || c == '-';
    out += allowed ? c : '-';
  }
  return out;
}

std::string label_of(const Compute& compute, std::string_view version) {
  if (version.empty()) return slug(compute.family);
  if (compute.family == "cuda") return "cu" + slug(replace_all(std::string(version), ".", ""));
  return slug(compute.family) + slug(version);
}

/// Consumes the next component: a number, or a run of other characters.
std::string_view take_component(std::string_view& rest) {
  if (rest.starts_with('.')) rest.remove_prefix(1);
  size_t end = 0;
  while (end < rest.size() && rest[end] != '.' && is_digit(rest[end]) == is_digit(rest[0])) ++end;
  const std::string_view component = rest.substr(0, end);
  rest.remove_prefix(end);
  return component;
}

int sign(int64_t value) {
  return value < 0 ? -1 : (value > 0 ? 1 : 0);
}

int compare_components(std::string_view a, std::string_view b) {
  const bool a_number = !a.empty() && is_digit(a[0]);
  const bool b_number = !b.empty() && is_digit(b[0]);
  if (a_number != b_number && !a.empty() && !b.empty()) return a_number ? -1 : 1;
  if (!a_number || !b_number) return sign(a.compare(b));
  int64_t left = 0;
  int64_t right = 0;
  std::from_chars(a.data(), a.data() + a.size(), left);
  std::from_chars(b.data(), b.data() + b.size(), right);
  return sign(left - right);
}

/// "cuda/13.0" is "cuda" and "13.0"; a value without a slash is the first part.
std::pair<std::string_view, std::string_view> split_at_slash(std::string_view value) {
  const size_t slash = value.find('/');
  if (slash == std::string_view::npos) return {value, {}};
  return {value.substr(0, slash), value.substr(slash + 1)};
}

std::string_view take_digits(std::string_view text) {
  size_t end = 0;
  while (end < text.size() && is_digit(text[end])) ++end;
  return text.substr(0, end);
}

/// A version at the beginning of the text, of at most three components: "7.1" of "7.1.g1a2b3c4".
std::string_view take_dotted(std::string_view text) {
  constexpr int kComponents = 3;
  constexpr size_t kLongest = 2;  // a day or a count of commits is longer
  std::string_view taken = take_digits(text);
  for (int i = 1; i < kComponents && !taken.empty(); ++i) {
    std::string_view rest = text.substr(taken.size());
    if (!rest.starts_with('.')) break;
    const std::string_view next = take_digits(rest.substr(1));
    if (next.empty() || next.size() > kLongest) break;
    taken = text.substr(0, taken.size() + 1 + next.size());
  }
  return taken;
}

/// "13.0" of "130": the major version has `major` digits, the minor one, the rest is the patch
/// level.
std::string with_dots(std::string_view digits, size_t major) {
  if (digits.size() <= major) return std::string(digits);
  std::string out = std::string(digits.substr(0, major)) + "." + digits[major];
  if (digits.size() > major + 1) out += "." + std::string(digits.substr(major + 1));
  return out;
}

struct FoundLabel {
  Compute compute;
  size_t length = 0;
};

/// The label at the beginning of the text.
std::optional<FoundLabel> label_at(std::string_view text) {
  struct Word {
    std::string_view text;
    std::string_view family;
  };
  constexpr std::array<Word, 5> kWords = {
      {{"cuda", "cuda"}, {"cu", "cuda"}, {"rocm", "rocm"}, {"cpu", "cpu"}, {"xpu", "xpu"}}};
  for (const Word& word : kWords) {
    if (!text.starts_with(word.text)) continue;
    const std::string_view rest = text.substr(word.text.size());
    std::string_view number = word.text == "cu" ? take_digits(rest) : take_dotted(rest);
    if (word.family == "cpu") number = {};
    const bool has_toolkit = word.family == "cuda" || word.family == "rocm";
    if (has_toolkit && number.empty()) continue;
    std::string version(number);
    if (has_toolkit && number.find('.') == std::string_view::npos) {
      // CUDA's releases are 10 and later, except those that begin with 3 to 9; ROCm's are 1 to 9.
      const bool two_digits = word.family == "cuda" && number.front() <= '2';
      version = with_dots(number, two_digits ? 2 : 1);
    }
    return FoundLabel{{std::string(word.family), std::move(version)},
                      word.text.size() + number.size()};
  }
  return std::nullopt;
}

}  // namespace

Compute split_compute(std::string_view value) {
  const auto [family, version] = split_at_slash(value);
  return {std::string(family), std::string(version)};
}

std::string leading(size_t count, std::string_view version) {
  size_t end = 0;
  for (size_t seen = 0; end < version.size(); ++end) {
    if (version[end] == '.' && ++seen == count) break;
  }
  return std::string(version.substr(0, end));
}

std::string compute_label(std::string_view value, size_t components) {
  const Compute compute = split_compute(value);
  return label_of(compute, leading(components, compute.version));
}

std::string full_compute_label(std::string_view value) {
  const Compute compute = split_compute(value);
  return label_of(compute, compute.version);
}

std::optional<Compute> compute_of_label(std::string_view label) {
  std::optional<FoundLabel> found = label_at(label);
  if (!found || found->length != label.size()) return std::nullopt;
  return std::move(found->compute);
}

std::optional<Compute> compute_in_local_version(std::string_view local) {
  for (size_t at = 0; at < local.size(); ++at) {
    std::optional<FoundLabel> found = label_at(local.substr(at));
    if (!found) continue;
    const bool begins = at == 0 || local[at - 1] == '.' || is_digit(local[at - 1]);
    const size_t end = at + found->length;
    const bool ends = end == local.size() || local[end] == '.' || is_digit(local[end]);
    // A word of three letters or a single digit may be part of another word.
    const bool long_enough = found->compute.version.size() > 1;
    if (long_enough || (begins && (ends || !found->compute.version.empty()))) {
      return std::move(found->compute);
    }
  }
  return std::nullopt;
}

std::string id_part(std::string_view axis, std::string_view value) {
  if (axis == "python" && !value.empty() && is_digit(value[0])) {
    return "cp" + slug(replace_all(std::string(value), ".", ""));
  }
  if (axis == "torch") return "torch" + slug(value);
  if (axis == "compute") return compute_label(value);
  return slug(value);
}

int compare_versions(std::string_view a, std::string_view b) {
  if (a == b) return 0;
  const auto [left, left_version] = split_at_slash(a);
  const auto [right, right_version] = split_at_slash(b);
  const bool families = !left_version.empty() || !right_version.empty();
  if (families && left != right) return sign(left.compare(right));
  std::string_view left_rest = families ? left_version : left;
  std::string_view right_rest = families ? right_version : right;
  while (!left_rest.empty() || !right_rest.empty()) {
    const std::string_view left_component = take_component(left_rest);
    const std::string_view right_component = take_component(right_rest);
    if (const int order = compare_components(left_component, right_component)) return order;
  }
  return 0;
}

}  // namespace pinwheel::matrix
