#include "host/git/made_directories.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "host/system/system_error.h"

namespace pinwheel::host {
namespace {

/// Absolute, and without symbolic links as far as it exists.
Result<std::filesystem::path> real_path(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::path real = std::filesystem::weakly_canonical(path, error);
  if (error) return fail(system_error("found", path, error.value()));
  return real;
}

}  // namespace

Result<MadeDirectories> MadeDirectories::below(const std::filesystem::path& source,
                                               const std::vector<std::filesystem::path>& made) {
  MadeDirectories found;
  TRY(const std::filesystem::path top, real_path(source));
  for (const std::filesystem::path& directory : made) {
    TRY(const std::filesystem::path real, real_path(directory));
    const std::string relative = (real / "").lexically_relative(top).string();
    const bool is_below = relative != "." && relative != "./" && !relative.starts_with("..");
    if (is_below) found.names_.push_back(relative);
  }
  return found;
}

bool MadeDirectories::contains(std::string_view name) const {
  return std::any_of(names_.begin(), names_.end(),
                     [name](const std::string& directory) { return name.starts_with(directory); });
}

}  // namespace pinwheel::host
