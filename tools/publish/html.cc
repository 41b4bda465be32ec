#include "publish/html.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/limits.h"
#include "base/text.h"

namespace pinwheel::publish {

namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kEntities = {
    {{"amp", "&"}, {"lt", "<"}, {"gt", ">"}, {"quot", "\""}, {"apos", "'"}, {"nbsp", " "}}};

bool is_space(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}

void append_utf8(std::string& out, uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0U | (code >> 6U));
    out += static_cast<char>(0x80U | (code & 0x3fU));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xe0U | (code >> 12U));
    out += static_cast<char>(0x80U | ((code >> 6U) & 0x3fU));
    out += static_cast<char>(0x80U | (code & 0x3fU));
  } else {
    out += static_cast<char>(0xf0U | (code >> 18U));
    out += static_cast<char>(0x80U | ((code >> 12U) & 0x3fU));
    out += static_cast<char>(0x80U | ((code >> 6U) & 0x3fU));
    out += static_cast<char>(0x80U | (code & 0x3fU));
  }
}

/// The text of `&<name>;`; nullopt for an unknown reference.
std::optional<std::string> reference(std::string_view name) {
  for (const auto& [entity, text] : kEntities) {
    if (name == entity) return std::string(text);
  }
  if (!name.starts_with('#')) return std::nullopt;
  name.remove_prefix(1);
  const bool hex = name.starts_with('x') || name.starts_with('X');
  if (hex) name.remove_prefix(1);
  if (name.empty() || name.size() > 7) return std::nullopt;
  uint32_t code = 0;
  for (const char c : name) {
    const int byte = std::tolower(static_cast<unsigned char>(c));
    if (byte >= '0' && byte <= '9') {
      code = code * (hex ? 16 : 10) + static_cast<uint32_t>(byte - '0');
    } else if (hex && byte >= 'a' && byte <= 'f') {
      code = code * 16 + static_cast<uint32_t>(byte - 'a' + 10);
    } else {
      return std::nullopt;
    }
  }
  if (code == 0 || code > 0x10ffff) return std::nullopt;
  std::string out;
  append_utf8(out, code);
  return out;
}

std::string decode(std::string_view text) {
  constexpr size_t kLongestReference = 10;  // "#x10ffff" and more zeros, and its end
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const std::string_view next = text[i] == '&' ? text.substr(i + 1, kLongestReference) : "";
    const size_t end = next.find(';');
    const std::optional<std::string> decoded =
        end == std::string_view::npos ? std::nullopt : reference(next.substr(0, end));
    if (decoded) {
      out += *decoded;
      i += end + 1;
    } else {
      out += text[i];
    }
  }
  return out;
}

/// Parses the attributes of a start tag, the text after its name.
std::map<std::string, std::string> attributes_of(std::string_view inside) {
  std::map<std::string, std::string> out;
  size_t at = 0;
  while (at < inside.size()) {
    while (at < inside.size() && (is_space(inside[at]) || inside[at] == '/')) ++at;
    const size_t name_start = at;
    while (at < inside.size() && !is_space(inside[at]) && inside[at] != '=') ++at;
    const std::string name = to_lower(inside.substr(name_start, at - name_start));
    while (at < inside.size() && is_space(inside[at])) ++at;
    std::string value;
    if (at < inside.size() && inside[at] == '=') {
      ++at;
      while (at < inside.size() && is_space(inside[at])) ++at;
      const char quote = at < inside.size() ? inside[at] : ' ';
      const bool has_quote = quote == '"' || quote == '\'';
      const size_t start = has_quote ? at + 1 : at;
      size_t end = start;
      while (end < inside.size() && (has_quote ? inside[end] != quote : !is_space(inside[end]))) {
        ++end;
      }
      value = decode(inside.substr(start, end - start));
      at = has_quote ? end + 1 : end;
    }
    if (!name.empty()) out.emplace(name, value);
  }
  return out;
}

/// The offset of the `>` that ends the tag at `start`, quotes respected; npos when there is none.
size_t tag_end(std::string_view page, size_t start) {
  char quote = 0;
  for (size_t i = start; i < page.size(); ++i) {
    if (quote != 0) {
      if (page[i] == quote) quote = 0;
    } else if (page[i] == '"' || page[i] == '\'') {
      quote = page[i];
    } else if (page[i] == '>') {
      return i;
    }
  }
  return std::string_view::npos;
}

/// Sorts the text of a page by the enclosing elements.
class PageText {
 public:
  void text(std::string_view piece) {
    if (hidden_.empty()) place() += decode(piece);
  }
  /// `name` is the text between the brackets, "p", "/p", "br/".
  void tag(std::string_view name) {
    const bool closes = name.starts_with('/');
    if (closes) name.remove_prefix(1);
    if (!hidden_.empty()) {
      if (closes && name == hidden_) hidden_.clear();
      return;
    }
    place() += ' ';
    if (name == "script" || name == "style") hidden_ = closes ? "" : std::string(name);
    if (name == "title") in_title_ = !closes;
    if (name == "h1") in_heading_ = !closes;
    if (name == "hr") after_rule_ = true;
    if (name == "center" || name == "address") in_signature_ = after_rule_ && !closes;
  }
  std::string best() const {
    for (const std::string* const part : {&body_, &heading_, &title_, &signature_}) {
      if (!trim(*part).empty()) return std::string(trim(*part));
    }
    return {};
  }

 private:
  std::string& place() {
    if (in_title_) return title_;
    if (in_heading_) return heading_;
    return in_signature_ ? signature_ : body_;
  }

  std::string title_;
  std::string heading_;
  std::string body_;
  std::string signature_;  ///< "nginx/1.24.0", below the rule of a server's own page
  std::string hidden_;
  bool in_title_ = false;
  bool in_heading_ = false;
  bool after_rule_ = false;
  bool in_signature_ = false;
};

std::string_view tag_name(std::string_view inside) {
  size_t end = inside.starts_with('/') ? 1 : 0;
  while (end < inside.size() && !is_space(inside[end]) && inside[end] != '/') ++end;
  return inside.substr(0, end);
}

}  // namespace

std::string page_text(std::string_view page) {
  PageText out;
  size_t at = 0;
  while (at < page.size()) {
    const size_t open = std::min(page.find('<', at), page.size());
    out.text(page.substr(at, open - at));
    if (open == page.size()) break;
    const bool comment = page.substr(open).starts_with("<!--");
    const size_t end = comment ? page.find("-->", open) : tag_end(page, open + 1);
    if (end == std::string_view::npos) break;
    if (!comment) out.tag(to_lower(tag_name(page.substr(open + 1, end - open - 1))));
    at = end + (comment ? 3 : 1);
  }
  return out.best();
}

Done scan_tags(std::string_view page, const std::function<Done(const HtmlTag& tag)>& visit) {
  size_t at = 0;
  while ((at = page.find('<', at)) != std::string_view::npos) {
    if (page.substr(at).starts_with("<!--")) {
      const size_t close = page.find("-->", at + 4);
      if (close == std::string_view::npos) break;
      at = close + 3;
      continue;
    }
    const size_t end = tag_end(page, at + 1);
    if (end == std::string_view::npos) break;
    const std::string_view inside = page.substr(at + 1, end - at - 1);
    size_t name_end = 0;
    while (name_end < inside.size() && !is_space(inside[name_end])) ++name_end;
    constexpr size_t kLongestName = 5;
    const std::string name = to_lower(inside.substr(0, std::min(name_end, kLongestName)));
    if (name == "a" || name == "base") {
      TRY_DONE(check_size("a tag of the page", inside.size(), limits::kHtmlTag));
      TRY_DONE(visit({name, attributes_of(inside.substr(name_end))}));
    }
    at = end + 1;
  }
  return {};
}

std::string escape_html(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

}  // namespace pinwheel::publish
