#include "host/store/xml_value.h"

#include <fmt/format.h>

#include "base/text.h"

namespace pinwheel::host {

std::string xml_value(std::string_view xml, std::string_view element) {
  const std::string open = fmt::format("<{}>", element);
  const size_t begin = xml.find(open);
  if (begin == std::string_view::npos) return {};
  const size_t end = xml.find(fmt::format("</{}>", element), begin);
  if (end == std::string_view::npos) return {};
  std::string text(trim(xml.substr(begin + open.size(), end - begin - open.size())));
  text = replace_all(replace_all(text, "&lt;", "<"), "&gt;", ">");
  text = replace_all(replace_all(text, "&quot;", "\""), "&apos;", "'");
  // Last, so that its replacement is not decoded again.
  return replace_all(text, "&amp;", "&");
}

}  // namespace pinwheel::host
