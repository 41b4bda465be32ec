#include "publish/sdist_metadata.h"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace pinwheel::publish {

namespace {

constexpr uint64_t kBlock = 512;

std::string_view text_field(std::string_view header, size_t offset, size_t length) {
  const std::string_view field = header.substr(offset, length);
  return field.substr(0, std::min(field.find('\0'), field.size()));
}

std::optional<uint64_t> octal_field(std::string_view header, size_t offset, size_t length) {
  uint64_t value = 0;
  bool digits = false;
  for (const char c : header.substr(offset, length)) {
    if (c == ' ' && !digits) continue;
    if (c == '\0' || c == ' ') break;
    if (c < '0' || c > '7') return std::nullopt;
    value = value * 8 + static_cast<uint64_t>(c - '0');
    digits = true;
  }
  return digits ? std::optional<uint64_t>(value) : std::nullopt;
}

/// The sum that a header carries of itself, its own field counted as spaces.
bool has_right_sum(std::string_view header) {
  uint64_t sum = 0;
  for (size_t i = 0; i < kBlock; ++i) {
    sum += i >= 148 && i < 156 ? ' ' : static_cast<unsigned char>(header[i]);
  }
  return octal_field(header, 148, 8) == sum;
}

std::string path_of(std::string_view header) {
  const std::string_view name = text_field(header, 0, 100);
  const std::string_view prefix =
      header.substr(257, 5) == "ustar" ? text_field(header, 345, 155) : std::string_view();
  return prefix.empty() ? std::string(name) : std::string(prefix) + "/" + std::string(name);
}

bool is_pkg_info(std::string_view path) {
  constexpr std::string_view kName = "/PKG-INFO";
  return path.ends_with(kName) && path.find('/') == path.size() - kName.size() &&
         path.size() > kName.size();
}

}  // namespace

Result<std::string> sdist_metadata(std::string_view tar) {
  uint64_t at = 0;
  while (at + kBlock <= tar.size() && tar[at] != '\0') {
    const std::string_view header = tar.substr(at, kBlock);
    const std::optional<uint64_t> size = octal_field(header, 124, 12);
    at += kBlock;
    if (!has_right_sum(header) || !size || *size > tar.size() - at) {
      return fail(ErrorKind::check, "the archive of the sdist is damaged", "build it again");
    }
    const char type = header[156];
    if ((type == '0' || type == '\0') && is_pkg_info(path_of(header))) {
      return std::string(tar.substr(at, *size));
    }
    at += std::min((*size + kBlock - 1) / kBlock * kBlock, tar.size() - at);
  }
  return fail(ErrorKind::check, "the sdist holds no `PKG-INFO`",
              "build it by a PEP 517 backend: python -m build --sdist");
}

}  // namespace pinwheel::publish
