#include "pep/version.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "base/text.h"
#include "pep/name.h"

namespace pinwheel::pep {
namespace {

/// A cursor over the lower-case text. Each `take_*` consumes what it recognizes, or nothing.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  bool done() const { return rest_.empty(); }
  bool overflowed() const { return overflowed_; }
  std::string_view rest() const { return rest_; }
  void rewind(std::string_view rest) { rest_ = rest; }

  bool take(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  void take_separator() {
    if (!rest_.empty() && is_separator(rest_.front())) rest_.remove_prefix(1);
  }

  std::optional<uint64_t> take_number() {
    size_t length = 0;
    while (length < rest_.size() && is_digit(rest_[length])) ++length;
    if (length == 0) return std::nullopt;
    uint64_t number = 0;
    const std::from_chars_result read =
        std::from_chars(rest_.data(), rest_.data() + length, number);
    if (read.ec != std::errc()) overflowed_ = true;
    rest_.remove_prefix(length);
    return number;
  }

  std::string_view take_alphanumeric() {
    size_t length = 0;
    while (length < rest_.size() && is_alphanumeric(rest_[length])) ++length;
    const std::string_view word = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return word;
  }

 private:
  std::string_view rest_;
  bool overflowed_ = false;
};

/// `[sep] word [sep] [number]`, the syntax of pre, post and dev segments; a missing number is 0.
template <size_t N>
std::optional<std::pair<size_t, uint64_t>> take_part(Reader& reader,
                                                     const std::array<std::string_view, N>& words) {
  const std::string_view start = reader.rest();
  reader.take_separator();
  for (size_t i = 0; i < N; ++i) {
    if (!reader.take(words[i])) continue;
    reader.take_separator();
    return std::pair(i, reader.take_number().value_or(0));
  }
  reader.rewind(start);
  return std::nullopt;
}

bool take_release(Reader& reader, Version& version) {
  std::optional<uint64_t> number = reader.take_number();
  if (!number) return false;
  if (reader.take("!")) {
    version.epoch = *number;
    number = reader.take_number();
    if (!number) return false;
  }
  version.release.push_back(*number);
  while (reader.rest().size() > 1 && reader.rest()[0] == '.' && is_digit(reader.rest()[1])) {
    reader.take(".");
    version.release.push_back(*reader.take_number());
  }
  return true;
}

void take_pre(Reader& reader, Version& version) {
  // Longer spellings come before their prefixes: `alpha` before `a`, `preview` before `pre`.
  constexpr std::array<std::string_view, 8> kWords = {"alpha", "a",       "beta", "b",
                                                      "rc",    "preview", "pre",  "c"};
  constexpr std::array<PreKind, 8> kKinds = {
      PreKind::alpha,     PreKind::alpha,     PreKind::beta,      PreKind::beta,
      PreKind::candidate, PreKind::candidate, PreKind::candidate, PreKind::candidate};
  if (const std::optional<std::pair<size_t, uint64_t>> part = take_part(reader, kWords)) {
    version.pre = PreRelease{kKinds.at(part->first), part->second};
  }
}

void take_post(Reader& reader, Version& version) {
  const std::string_view start = reader.rest();
  if (reader.take("-")) {
    version.post = reader.take_number();
    if (version.post) return;
    reader.rewind(start);
  }
  constexpr std::array<std::string_view, 3> kWords = {"post", "rev", "r"};
  if (const std::optional<std::pair<size_t, uint64_t>> part = take_part(reader, kWords)) {
    version.post = part->second;
  }
}

bool take_local(Reader& reader, Version& version) {
  if (!reader.take("+")) return true;
  while (true) {
    const std::string_view word = reader.take_alphanumeric();
    if (word.empty()) return false;
    if (std::all_of(word.begin(), word.end(), is_digit)) {
      Reader number(word);
      version.local.emplace_back(*number.take_number());
      if (number.overflowed()) return false;
    } else {
      version.local.emplace_back(std::string(word));
    }
    if (reader.done()) return true;
    const size_t before = reader.rest().size();
    reader.take_separator();
    if (reader.rest().size() == before) return false;
  }
}

std::weak_ordering compare_releases(const std::vector<uint64_t>& left,
                                    const std::vector<uint64_t>& right) {
  const size_t length = std::max(left.size(), right.size());
  for (size_t i = 0; i < length; ++i) {
    const uint64_t a = i < left.size() ? left[i] : 0;
    const uint64_t b = i < right.size() ? right[i] : 0;
    if (a != b) return a <=> b;
  }
  return std::weak_ordering::equivalent;
}

/// The rank of a version within its release: a bare development release before every pre-release,
/// finals and post-releases after them.
int pre_rank(const Version& version) {
  if (version.pre) return 1;
  return !version.post && version.dev ? 0 : 2;
}

}  // namespace

Result<Version> parse_version(std::string_view text) {
  const std::string lower = to_lower(trim(text));
  Reader reader(lower);
  Version version;
  reader.take("v");
  bool valid = take_release(reader, version);
  if (valid) {
    take_pre(reader, version);
    take_post(reader, version);
    constexpr std::array<std::string_view, 1> kDev = {"dev"};
    if (const std::optional<std::pair<size_t, uint64_t>> part = take_part(reader, kDev)) {
      version.dev = part->second;
    }
    valid = take_local(reader, version) && reader.done() && !reader.overflowed();
  }
  if (!valid) {
    return fail(ErrorKind::config, quoted(text) + " is not a version",
                "use the syntax of PEP 440, e.g. 1.2.0, 1.3.0rc1, 1.3.0.dev4");
  }
  return version;
}

std::string to_string(const Version& version) {
  std::string text;
  if (version.epoch != 0) text += std::to_string(version.epoch) + "!";
  for (size_t i = 0; i < version.release.size(); ++i) {
    if (i > 0) text += '.';
    text += std::to_string(version.release[i]);
  }
  if (version.pre) {
    constexpr std::array<std::string_view, 3> kLetters = {"a", "b", "rc"};
    text += kLetters.at(static_cast<size_t>(version.pre->kind));
    text += std::to_string(version.pre->number);
  }
  if (version.post) text += ".post" + std::to_string(*version.post);
  if (version.dev) text += ".dev" + std::to_string(*version.dev);
  for (size_t i = 0; i < version.local.size(); ++i) {
    text += i == 0 ? '+' : '.';
    const LocalSegment& segment = version.local[i];
    if (const uint64_t* number = std::get_if<uint64_t>(&segment)) {
      text += std::to_string(*number);
    } else {
      text += std::get<std::string>(segment);
    }
  }
  return text;
}

std::weak_ordering operator<=>(const Version& left, const Version& right) {
  if (left.epoch != right.epoch) return left.epoch <=> right.epoch;
  const std::weak_ordering release = compare_releases(left.release, right.release);
  if (std::is_neq(release)) return release;
  if (pre_rank(left) != pre_rank(right)) return pre_rank(left) <=> pre_rank(right);
  if (left.pre != right.pre) {
    return std::pair(left.pre->kind, left.pre->number) <=>
           std::pair(right.pre->kind, right.pre->number);
  }
  // No post-release sorts before any post-release, as std::optional does; no development number
  // sorts after any.
  if (left.post != right.post) return left.post <=> right.post;
  if (left.dev.has_value() != right.dev.has_value()) {
    return left.dev ? std::weak_ordering::less : std::weak_ordering::greater;
  }
  if (left.dev != right.dev) return *left.dev <=> *right.dev;
  // The variant's order is the standard's: text before numbers, a shorter prefix first.
  return std::lexicographical_compare_three_way(left.local.begin(), left.local.end(),
                                                right.local.begin(), right.local.end());
}

bool operator==(const Version& left, const Version& right) {
  return std::is_eq(left <=> right);
}

Version public_part(const Version& version) {
  Version result = version;
  result.local.clear();
  return result;
}

Version base_part(const Version& version) {
  return Version{version.epoch, version.release};
}

bool is_prerelease(const Version& version) {
  return version.pre || version.dev;
}

}  // namespace pinwheel::pep
