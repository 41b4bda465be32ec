#include "host/system/system_error.h"

#include <fmt/format.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "base/text.h"

namespace pinwheel::host {
namespace {

std::string full_disk_hint(const std::filesystem::path& directory) {
  std::error_code unknown;
  const std::filesystem::space_info space = std::filesystem::space(directory, unknown);
  const std::string left =
      unknown ? "" : fmt::format(", which has {} left", format_bytes(space.available));
  return fmt::format("free space on the file system of {}{}, or choose another directory",
                     quoted(directory.string()), left);
}

std::string hint_for(const std::filesystem::path& path, int number) {
  switch (number) {
    case ENOSPC:
    case EDQUOT:
      return full_disk_hint(path.parent_path());
    case EACCES:
    case EPERM:
      return "check the owner and the permissions of the path, or choose another directory";
    case EROFS:
      return "the file system is mounted read-only; choose another directory";
    case EMFILE:
    case ENFILE:
      return "raise the limit of open files with `ulimit -n`";
    default:
      return {};
  }
}

std::string lower_first(std::string text) {
  if (text.size() > 1 && text[0] >= 'A' && text[0] <= 'Z' && text[1] >= 'a') {
    text[0] = static_cast<char>(text[0] - 'A' + 'a');
  }
  return text;
}

}  // namespace

Error system_error(std::string_view participle, const std::filesystem::path& path, int number) {
  Error error;
  error.kind = number == ENOENT || number == ENOTDIR ? ErrorKind::config : ErrorKind::environment;
  error.message = fmt::format("{} cannot be {}: {}", quoted(path.string()), participle,
                              lower_first(std::generic_category().message(number)));
  error.hint = hint_for(path, number);
  return error;
}

}  // namespace pinwheel::host
