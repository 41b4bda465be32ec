#pragma once
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace pinwheel::publish {

/// A start tag relevant to a simple index.
struct HtmlTag {
  std::string name;                               ///< lower case
  std::map<std::string, std::string> attributes;  ///< names in lower case, references decoded
};

/// Calls `visit` with the `a` and `base` start tags of a page in order, until it fails. Comments
/// are skipped; a tag cut off by the end of the page is ignored. Kind `check` for a tag longer than
/// `limits::kHtmlTag`.
Done scan_tags(std::string_view page, const std::function<Done(const HtmlTag& tag)>& visit);

/// The text of a page for people: its body without scripts, styles and markup, and without the
/// first-level headings, which contain the status ("400 Bad Request"), and the name of the server
/// below a rule. If nothing else is there, the headings, the title or that name.
std::string page_text(std::string_view page);

/// Escapes text for HTML, in an element or between double quotes.
std::string escape_html(std::string_view text);

}  // namespace pinwheel::publish
