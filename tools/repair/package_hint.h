#pragma once
#include <string>

namespace pinwheel::repair {

/// What to do about a library that was not found, with the names of packages that may have it by
/// the conventions of Debian ("libjpeg62" for "libjpeg.so.62") and of RPM
/// ("libjpeg.so.62()(64bit)").
std::string package_hint(const std::string& soname);

}  // namespace pinwheel::repair
