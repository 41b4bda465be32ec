#include "host/steps/path_without.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <vector>

#include "base/text.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

/// Links to the files of a directory, but for one, in another.
Done link_others(const fs::path& directory, const std::string& program, const fs::path& links) {
  std::error_code error;
  fs::create_directories(links, error);
  for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
    const fs::path name = at->path().filename();
    if (name != program) fs::create_symlink(at->path(), links / name, error);
    if (error) break;
  }
  if (!error) return {};
  return fail(ErrorKind::environment,
              fmt::format("{} cannot be seen without {}: {}", quoted(directory.string()),
                          quoted(program), error.message()),
              fmt::format("take {} off PATH", quoted(directory.string())));
}

bool has(const fs::path& directory, std::string_view program) {
  std::error_code absent;
  return fs::exists(directory / program, absent);
}

bool enters_roots(const fs::path& directory) {
  return has(directory, "sh") || has(directory, "mount") || has(directory, "unshare");
}

}  // namespace

Result<std::string> path_without(const std::string& path, const std::string& program,
                                 const BuildSpace& space) {
  std::vector<std::string> directories = split(path, ':');
  size_t made = 0;
  for (std::string& directory : directories) {
    if (directory.empty() || !has(directory, program) || enters_roots(directory)) continue;
    const fs::path links = fs::path("programs") / std::to_string(made++);
    TRY_DONE(link_others(fs::absolute(directory), program, space.real(links)));
    directory = space.seen(links).string();
  }
  return join(directories, ":");
}

}  // namespace pinwheel::host
