#include "base/hidden_text.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/text.h"

// A text is compared with a secret character by character, in three ways: as it is, percent-encoded
// and with backslashes. Within one way each character means one thing, so there is nothing to try
// twice. Base64 is compared with the characters that depend on nothing but the secret, for each of
// the three places at which its first byte can be in a group of three.

namespace pinwheel {
namespace {

constexpr std::string_view kInstead = "***";
constexpr std::string_view kBase64 =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

enum class Way { raw, percent, backslash };

/// The spelling at the beginning of a text: `bytes` spelled by `length` characters; `cut` if the
/// text ends before that is known.
struct Spelled {
  std::string bytes;
  size_t length = 1;
  bool cut = false;
};

constexpr Spelled cut_off() {
  return {{}, 0, true};
}

std::optional<uint32_t> hex_number(std::string_view digits) {
  uint32_t value = 0;
  for (const char digit : digits) {
    const std::string_view all = "0123456789abcdef0123456789ABCDEF";
    const size_t at = all.find(digit);
    if (at == std::string_view::npos) return std::nullopt;
    value = value * 16 + static_cast<uint32_t>(at % 16);
  }
  return value;
}

std::string utf8_of(uint32_t code) {
  const auto byte = [](uint32_t value) { return static_cast<char>(value); };
  const auto tail = [&](unsigned shift) { return byte(0x80U | ((code >> shift) & 0x3fU)); };
  if (code < 0x80) return {byte(code)};
  if (code < 0x800) return {byte(0xc0U | (code >> 6U)), tail(0)};
  if (code < 0x10000) return {byte(0xe0U | (code >> 12U)), tail(6), tail(0)};
  return {byte(0xf0U | (code >> 18U)), tail(12), tail(6), tail(0)};
}

/// Decodes `text`, which begins with a mark of `skip` characters, followed by that many hexadecimal
/// digits.
Spelled spelled_hex(std::string_view text, size_t skip, size_t digits) {
  Spelled plain{std::string(text.substr(0, 1))};
  const std::optional<uint32_t> value =
      hex_number(text.substr(skip, std::min(digits, text.size() - skip)));
  if (!value) return plain;
  if (text.size() < skip + digits) return cut_off();
  const size_t length = skip + digits;
  if (digits == 2) return {{static_cast<char>(*value)}, length};
  const bool first_half = *value >= 0xd800 && *value < 0xdc00;
  if (!first_half) return {utf8_of(*value), length};
  const std::string_view rest = text.substr(length);
  if (!rest.starts_with("\\u"))
    return std::string_view("\\u").starts_with(rest) ? cut_off() : plain;
  const std::optional<uint32_t> second =
      hex_number(rest.substr(2, std::min<size_t>(4, rest.size() - 2)));
  if (!second) return plain;
  if (rest.size() < 6) return cut_off();
  return {utf8_of(0x10000U + ((*value - 0xd800U) << 10U) + (*second & 0x3ffU)), length + 6};
}

Spelled spelled_backslash(std::string_view text) {
  if (text.size() < 2) return cut_off();
  switch (text[1]) {
    case 'n':
      return {"\n", 2};
    case 't':
      return {"\t", 2};
    case 'r':
      return {"\r", 2};
    case 'b':
      return {"\b", 2};
    case 'f':
      return {"\f", 2};
    case 'u':
      return spelled_hex(text, 2, 4);
    case 'x':
      return spelled_hex(text, 2, 2);
    default:
      return {std::string(text.substr(1, 1)), 2};
  }
}

Spelled spelled(std::string_view text, Way way) {
  if (text.empty()) return cut_off();
  if (way == Way::percent && text[0] == '%') return spelled_hex(text, 1, 2);
  if (way == Way::percent && text[0] == '+') return {" ", 1};
  if (way == Way::backslash && text[0] == '\\') return spelled_backslash(text);
  return {std::string(text.substr(0, 1)), 1};
}

/// The base64 characters, in any text around `secret`, that depend only on the secret, if `before`
/// bytes (modulo three) precede it.
std::string base64_core(std::string_view secret, size_t before) {
  std::string out;
  const size_t first = (before * 8 + 5) / 6;
  const size_t last = (before + secret.size()) * 8 / 6;
  for (size_t i = first; i < last; ++i) {
    uint32_t value = 0;
    for (size_t bit = i * 6; bit < i * 6 + 6; ++bit) {
      const auto byte = static_cast<unsigned char>(secret[bit / 8 - before]);
      value = value << 1U | ((byte >> (7U - bit % 8U)) & 1U);
    }
    out += kBase64[value];
  }
  return out;
}

}  // namespace

void HiddenText::add_pattern(std::string bytes, Alphabet alphabet, const std::string& name) {
  if (bytes.size() < Secret::kShortest) return;
  begins_[static_cast<unsigned char>(bytes[0])] = true;
  for (const char mark : {'%', '\\'}) begins_[static_cast<unsigned char>(mark)] = true;
  if (bytes[0] == ' ') begins_['+'] = true;
  if (alphabet == Alphabet::base64 && bytes[0] == '+') begins_['-'] = true;
  if (alphabet == Alphabet::base64 && bytes[0] == '/') begins_['_'] = true;
  patterns_.push_back({std::move(bytes), alphabet, name});
}

void HiddenText::add_spellings(std::string_view text, const std::string& name) {
  if (text.size() < Secret::kShortest) return;
  add_pattern(std::string(text), Alphabet::plain, name);
  for (size_t before = 0; before < 3; ++before) {
    add_pattern(base64_core(text, before), Alphabet::base64, name);
  }
}

void HiddenText::add(const Secret& secret, const std::string& name) {
  const std::string whole(trim(secret.reveal()));
  add_spellings(whole, name);
  if (whole.find('\n') == std::string::npos) return;
  for (const std::string& line : split(whole, '\n')) add_spellings(trim(line), name);
}

HiddenText::Match HiddenText::match(std::string_view text, const Pattern& pattern) {
  Match best;
  for (const Way way : {Way::raw, Way::percent, Way::backslash}) {
    size_t at = 0;
    size_t known = 0;
    bool same = true;
    while (same && known < pattern.bytes.size()) {
      const std::string_view left = text.substr(at);
      // Most positions differ in the first character.
      const bool plain = !left.empty() && left[0] == pattern.bytes[known] && left[0] != '%' &&
                         left[0] != '\\' && left[0] != '+';
      Spelled next;
      if (!plain) next = spelled(left, way);
      if (next.cut) {
        const bool further = !best.open || known > best.known;
        if (further) best = {best.length, true, known, &pattern};
        break;
      }
      if (pattern.alphabet == Alphabet::base64) {
        if (next.bytes == "-" || next.bytes == " ") next.bytes = "+";
        if (next.bytes == "_") next.bytes = "/";
      }
      same = plain || std::string_view(pattern.bytes).substr(known).starts_with(next.bytes);
      at += next.length;
      known += plain ? 1 : next.bytes.size();
    }
    if (same && known >= pattern.bytes.size()) best.length = std::max(best.length, at);
  }
  best.pattern = &pattern;
  return best;
}

HiddenText::Match HiddenText::longest_at(std::string_view text) const {
  Match best;
  for (const Pattern& pattern : patterns_) {
    const Match found = match(text, pattern);
    if (found.length > best.length) {
      best.length = found.length;
      best.pattern = &pattern;
    }
    if (!found.open) continue;
    if (best.pattern == nullptr) best.pattern = &pattern;
    best.open = true;
    best.known = std::max(best.known, found.known);
  }
  return best;
}

std::string HiddenText::mask(std::string_view text) const {
  if (empty()) return std::string(text);
  HidingStream stream(*this);
  std::string out = stream.pass(text);
  return out + stream.end();
}

Error HiddenText::mask(Error error) const {
  if (empty()) return error;
  error.message = mask(error.message);
  error.hint = mask(error.hint);
  if (error.at) error.at->excerpt = mask(error.at->excerpt);
  for (Error& cause : error.causes) cause = mask(std::move(cause));
  return error;
}

std::string HidingStream::pass(std::string_view piece) {
  held_ += piece;
  return take(Ending::open);
}

std::string HidingStream::end() {
  return take(Ending::final);
}

/// Notes a secret that begins at `at`.
size_t HidingStream::hide(const HiddenText::Match& match, size_t at, std::string& out) {
  if (at >= covered_) out += kInstead;
  found_.insert(match.pattern->name);
  return std::max(covered_, at + match.length);
}

std::string HidingStream::take(Ending ending) {
  const std::string_view text = held_;
  std::string out;
  size_t at = 0;
  while (at < text.size()) {
    const auto* const next = std::find_if(text.begin() + at, text.end(),
                                          [this](char c) { return hidden_.may_begin(c); });
    const size_t candidate = static_cast<size_t>(next - text.begin());
    const size_t shown = std::max(at, std::min(covered_, candidate));
    out += text.substr(shown, candidate - shown);
    at = candidate;
    if (at == text.size()) break;
    HiddenText::Match match = hidden_.longest_at(text.substr(at));
    if (match.open && ending == Ending::open) break;
    const bool begun = match.open && match.known >= Secret::kShortest;
    if (begun && match.length == 0) match.length = text.size() - at;
    if (match.length > 0) covered_ = hide(match, at, out);
    if (at >= covered_) out += text[at];
    ++at;
  }
  covered_ = covered_ > at ? covered_ - at : 0;
  held_.erase(0, at);
  return out;
}

}  // namespace pinwheel
