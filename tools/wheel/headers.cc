#include "wheel/headers.h"

#include <algorithm>

#include "base/text.h"

namespace pinwheel::wheel {
namespace {

bool same_name(std::string_view left, std::string_view right) {
  return to_lower(left) == to_lower(right);
}

bool is_header_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte > 0x20U && byte < 0x7fU;
  });
}

Result<Header> parse_line(std::string_view line, std::string_view what, int number) {
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos || !is_header_name(line.substr(0, colon))) {
    return fail(ErrorKind::check,
                quoted(what) + " line " + std::to_string(number) +
                    " is not a `Name: value` header: " + quoted(line.substr(0, 80)));
  }
  std::string_view value = line.substr(colon + 1);
  const size_t start = value.find_first_not_of(" \t");
  value = start == std::string_view::npos ? std::string_view{} : value.substr(start);
  return Header{std::string(line.substr(0, colon)), std::string(value)};
}

// Removes runs of carriage returns at once: otherwise each round trip would remove one more.
std::string with_newlines(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    while (c == '\n' && !out.empty() && out.back() == '\r') out.pop_back();
    out += c;
  }
  return out;
}

}  // namespace

std::optional<std::string> HeaderBlock::get(std::string_view name) const {
  for (const Header& header : headers) {
    if (same_name(header.name, name)) return header.value;
  }
  return std::nullopt;
}

std::vector<std::string> HeaderBlock::all(std::string_view name) const {
  std::vector<std::string> values;
  for (const Header& header : headers) {
    if (same_name(header.name, name)) values.push_back(header.value);
  }
  return values;
}

void HeaderBlock::set(std::string_view name, std::string value) {
  const auto first = std::find_if(headers.begin(), headers.end(),
                                  [&](const Header& h) { return same_name(h.name, name); });
  if (first == headers.end()) return add(std::string(name), std::move(value));
  first->value = std::move(value);
  headers.erase(std::remove_if(std::next(first), headers.end(),
                               [&](const Header& h) { return same_name(h.name, name); }),
                headers.end());
}

void HeaderBlock::add(std::string name, std::string value) {
  headers.push_back({std::move(name), std::move(value)});
}

void HeaderBlock::remove(std::string_view name) {
  headers.erase(std::remove_if(headers.begin(), headers.end(),
                               [&](const Header& h) { return same_name(h.name, name); }),
                headers.end());
}

Result<HeaderBlock> parse_headers(std::string_view raw, std::string_view what) {
  const std::string text = with_newlines(raw);
  HeaderBlock block;
  size_t at = 0;
  for (int number = 1; at < text.size(); ++number) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = std::string_view(text).substr(at, end - at);
    if (end == text.size()) line = line.substr(0, line.find_last_not_of('\r') + 1);
    at = end + 1;
    if (line.empty()) {
      block.body = at < text.size() ? text.substr(at) : std::string();
      return block;
    }
    if ((line.front() == ' ' || line.front() == '\t') && !block.headers.empty()) {
      block.headers.back().value += "\n" + std::string(line);
      continue;
    }
    TRY(Header header, parse_line(line, what, number));
    block.headers.push_back(std::move(header));
  }
  return block;
}

std::string to_string(const HeaderBlock& block) {
  std::string out;
  for (const Header& header : block.headers) out += header.name + ": " + header.value + "\n";
  if (block.body) out += "\n" + *block.body;
  return out;
}

}  // namespace pinwheel::wheel
