#include "host/system/log_tail.h"

#include <algorithm>
#include <memory>

#include "host/system/file_source.h"

namespace pinwheel::host {

std::string log_tail(const std::filesystem::path& log, uint64_t most) {
  const Result<std::unique_ptr<FileSource>> file = FileSource::open(log);
  if (!file) return {};
  const uint64_t size = (*file)->size();
  const uint64_t length = std::min(size, most);
  return (*file)->read(size - length, length).value_or(std::string());
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
