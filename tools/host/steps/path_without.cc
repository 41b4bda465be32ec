#include "host/steps/path_without.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "base/text.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

using Programs = std::vector<std::string>;

/// Links to the files of a directory, but for some, in another.
Done link_others(const fs::path& directory, const Programs& programs, const fs::path& at,
                 Supplier& supplier) {
  std::error_code error;
  Links links;
  for (fs::directory_iterator each(directory, error), end; !error && each != end;
       each.increment(error)) {
    const std::string name = each->path().filename().string();
    if (std::find(programs.begin(), programs.end(), name) != programs.end()) continue;
    links.emplace(name, each->path());
  }
  if (!error) error = supplier.link(at, links);
  if (!error) return {};
  return fail(ErrorKind::environment,
              fmt::format("{} cannot be seen without {}: {}", quoted(directory.string()),
                          quoted_list(programs), error.message()),
              fmt::format("take {} off PATH", quoted(directory.string())));
}

bool has_one(const fs::path& directory, const Programs& programs) {
  return std::any_of(programs.begin(), programs.end(), [&directory](const std::string& name) {
    std::error_code absent;
    return fs::exists(directory / name, absent);
  });
}

}  // namespace

Result<std::string> path_without(const std::string& path, const Programs& programs,
                                 const BuildSpace& space, Supplier& supplier) {
  std::vector<std::string> directories = split(path, ':');
  size_t made = 0;
  for (std::string& directory : directories) {
    if (directory.empty() || !has_one(directory, programs)) continue;
    const fs::path links = fs::path("programs") / std::to_string(made++);
    TRY_DONE(link_others(fs::absolute(directory), programs, space.real(links), supplier));
    directory = space.seen(links).string();
  }
  return join(directories, ":");
}

}  // namespace pinwheel::host
