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

uint64_t log_size(const std::filesystem::path& log) {
  std::error_code error;
  const uintmax_t size = std::filesystem::file_size(log, error);
  return error ? 0 : size;
}

std::string log_since(const std::filesystem::path& log, uint64_t size, uint64_t most) {
  const uint64_t now = log_size(log);
  return log_tail(log, std::min(most, now - std::min(now, size)));
}

}  // namespace pinwheel::host
