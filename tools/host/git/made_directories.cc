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
    found.add(real, top);
    // A link to a path outside is not its target, and counts at its own path.
    const std::filesystem::path plain = directory.lexically_normal();
    const std::filesystem::path name = plain.has_filename() ? plain : plain.parent_path();
    TRY(const std::filesystem::path parent, real_path(name.parent_path()));
    if (parent / name.filename() != real) found.add(parent / name.filename(), top);
  }
  return found;
}

void MadeDirectories::add(const std::filesystem::path& path, const std::filesystem::path& top) {
  const std::string relative = (path / "").lexically_relative(top).string();
  const bool is_below = relative != "." && relative != "./" && !relative.starts_with("..");
  if (is_below) names_.push_back(relative);
}

bool MadeDirectories::contains(std::string_view name) const {
  return std::any_of(names_.begin(), names_.end(),
                     [name](const std::string& directory) { return name.starts_with(directory); });
}

bool MadeDirectories::covers(std::string_view name) const {
  return contains(std::string(name) + "/");
}

}  // namespace pinwheel::host
