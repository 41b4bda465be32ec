#include "host/system/log_tail.h"

#include <algorithm>
#include <fstream>

namespace pinwheel::host {

std::string log_tail(const std::filesystem::path& log, uint64_t most) {
  std::ifstream file(log, std::ios::binary | std::ios::ate);
  const std::streamoff size = file.tellg();
  if (!file || size <= 0) return {};
  const auto length = std::min<std::streamoff>(size, static_cast<std::streamoff>(most));
  std::string text(static_cast<size_t>(length), '\0');
  file.seekg(size - length);
  file.read(text.data(), length);
  text.resize(static_cast<size_t>(file.gcount()));
  return text;
}

}  // namespace pinwheel::host
