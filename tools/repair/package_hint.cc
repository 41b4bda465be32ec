#include "repair/package_hint.h"

#include <fmt/format.h>

#include "base/text.h"

namespace pinwheel::repair {
namespace {

/// Debian Policy 8.1: the name and the number, with a hyphen where the name ends in a digit.
std::string debian_package(const std::string& soname) {
  const size_t suffix = soname.find(".so");
  if (suffix == std::string::npos) return to_lower(soname);
  std::string name = replace_all(to_lower(soname.substr(0, suffix)), "_", "-");
  if (suffix + 4 >= soname.size()) return name;
  if (is_digit(name.back())) name += "-";
  return name + soname.substr(suffix + 4);
}

}  // namespace

std::string package_hint(const std::string& soname) {
  return fmt::format(
      "install it (Debian calls the package {} or similar, {} finds it), name its directory in "
      "LD_LIBRARY_PATH, or leave it to others with {}",
      quoted(debian_package(soname)), quoted(fmt::format("dnf install '{}()(64bit)'", soname)),
      quoted(fmt::format("--exclude {}", soname)));
}

}  // namespace pinwheel::repair
