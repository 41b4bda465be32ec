#include "repair/loader_cache.h"

#include "base/text.h"

namespace pinwheel::repair {

std::map<std::string, std::string> parse_loader_cache(std::string_view output,
                                                      std::string_view arch) {
  const std::string_view mark = arch == "aarch64" ? "AArch64" : "x86-64";
  constexpr std::string_view kArrow = " => ";
  std::map<std::string, std::string> out;
  for (const std::string& line : split(output, '\n')) {
    const size_t flags = line.find(" (");
    const size_t arrow = line.find(kArrow);
    if (flags == std::string::npos || arrow == std::string::npos || flags > arrow) continue;
    if (line.substr(flags, arrow - flags).find(mark) == std::string::npos) continue;
    out.emplace(trim(line.substr(0, flags)), trim(line.substr(arrow + kArrow.size())));
  }
  return out;
}

}  // namespace pinwheel::repair
