#include "report/html_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "base/digest.h"
#include "base/utf8.h"
#include "base/visible_text.h"
#include "publish/html.h"

namespace pinwheel::report {
namespace {

/// The template with its places filled; text that is filled in is not searched for places.
std::string filled(std::string_view page,
                   const std::map<std::string_view, std::string_view>& text) {
  std::string out;
  size_t size = page.size();
  for (const auto& [name, value] : text) size += value.size();
  out.reserve(size);
  while (true) {
    const size_t begin = page.find('@');
    const size_t end = begin == std::string_view::npos ? begin : page.find('@', begin + 1);
    if (end == std::string_view::npos) break;
    const auto found = text.find(page.substr(begin + 1, end - begin - 1));
    if (found == text.end()) {
      // The second sign may begin the name of a place.
      out += page.substr(0, end);
      page.remove_prefix(end);
      continue;
    }
    out += page.substr(0, begin);
    out += found->second;
    page.remove_prefix(end + 1);
  }
  out += page;
  return out;
}

std::string_view part_named(const std::vector<Document>& parts, std::string_view name) {
  for (const Document& part : parts) {
    if (part.name == name) return part.text;
  }
  return {};
}

/// The scripts as one: the libraries define globals, and the page's own files share a scope.
std::string whole_script(const std::vector<Document>& parts) {
  std::string out;
  bool own = false;
  for (const Document& part : parts) {
    if (!part.name.ends_with(".js")) continue;
    const bool library = part.name == "d3.js" || part.name == "plot.js";
    if (!library && !std::exchange(own, true)) out += "\"use strict\";(() => {\n";
    out += part.text;
    out += "\n";
  }
  if (own) out += "})();\n";
  return out;
}

/// Text between tags.
std::string html_text(std::string_view text) {
  return publish::escape_html(visible_lines(text));
}

/// The escape of JSON, a pair of surrogates above the first plane.
void add_escape(std::string& out, char32_t code) {
  constexpr char32_t kSupplementary = 0x10000;
  if (code < kSupplementary) {
    out += fmt::format("\\u{:04x}", static_cast<uint32_t>(code));
    return;
  }
  const auto above = static_cast<uint32_t>(code - kSupplementary);
  out += fmt::format("\\u{:04x}\\u{:04x}", 0xd800U + (above >> 10U), 0xdc00U + (above & 0x3ffU));
}

}  // namespace

std::string script_json(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (size_t at = 0; at < json.size();) {
    const auto byte = static_cast<unsigned char>(json[at]);
    if (byte == '<' || byte == '>' || byte == '&') {
      out += fmt::format("\\u{:04x}", byte);
      ++at;
    } else if (byte < 0x80) {
      out += json[at++];
    } else {
      const Utf8Character character = first_utf8(json.substr(at));
      at += std::max<size_t>(character.length, 1);
      add_escape(out, character.length == 0 ? U'\ufffd' : character.code);
    }
  }
  return out;
}

Result<std::string> html_page(const std::vector<Document>& parts, std::string_view title,
                              std::string_view json) {
  if (parts.empty()) {
    return fail(ErrorKind::environment, "this build of pinwheel has no HTML pages",
                "install `pinwheel-cli`, or compile pinwheel with npm (`-DPINWHEEL_PAGES=ON`)");
  }
  const std::string script = whole_script(parts);
  Sha256 hash;
  hash.update(script);
  const std::string digest = "sha256-" + base64(hash.finish());
  const std::string head = html_text(title);
  const std::string licenses = html_text(part_named(parts, "licenses.txt"));
  const std::string data = script_json(json);
  return filled(part_named(parts, "page.html"), {{"SCRIPT_HASH", digest},
                                                 {"TITLE", head},
                                                 {"STYLE", part_named(parts, "page.css")},
                                                 {"LICENSES", licenses},
                                                 {"DATA", data},
                                                 {"SCRIPT", script}});
}

}  // namespace pinwheel::report
