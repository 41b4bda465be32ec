#include "repair/graft_name.h"

#include "base/text.h"

namespace pinwheel::repair {

std::string graft_name(const Library& library, const std::string& needed_as) {
  constexpr size_t kDigits = 8;
  const std::string name(last_part(library.elf.soname.empty() ? needed_as : library.elf.soname));
  const std::string mark = "-" + library.sha256.substr(0, kDigits);
  const size_t suffix = name.find(".so");
  if (suffix == std::string::npos) return name + mark;
  return name.substr(0, suffix) + mark + name.substr(suffix);
}

}  // namespace pinwheel::repair
