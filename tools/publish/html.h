#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace pinwheel::publish {

/// A start tag relevant to a simple index, with the text up to the next tag.
struct HtmlTag {
  std::string name;                               ///< lower case
  std::map<std::string, std::string> attributes;  ///< names in lower case, references decoded
  std::string text;                               ///< trimmed, references decoded
};

/// The `a` and `base` start tags of a page in order. Comments are skipped; a tag cut off by the end
/// of the page is ignored.
std::vector<HtmlTag> scan_tags(std::string_view page);

/// Escapes text for HTML, in an element or between double quotes.
std::string escape_html(std::string_view text);

}  // namespace pinwheel::publish
