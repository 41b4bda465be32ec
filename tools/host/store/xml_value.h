#pragma once
#include <string>
#include <string_view>

namespace pinwheel::host {

/// The text of the first element of that name in a reply of AWS: "<Code>NoSuchKey</Code>"; empty if
/// there is none. Such replies have no attributes, comments or nested elements of one name.
std::string xml_value(std::string_view xml, std::string_view element);

}  // namespace pinwheel::host
