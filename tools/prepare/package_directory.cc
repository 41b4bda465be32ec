#include "prepare/package_directory.h"

#include <fmt/format.h>

#include "base/text.h"

namespace pinwheel::prepare {

namespace fs = std::filesystem;

Result<fs::path> package_directory(const matrix::Matrix& matrix) {
  const std::string& source = matrix.package.source;
  const fs::path directory = fs::absolute(fs::path(matrix.directory) / source).lexically_normal();
  if (source.empty()) return directory;
  std::error_code ignored;
  if (fs::is_directory(directory, ignored)) return directory;
  const bool missing = !fs::exists(directory, ignored);
  return fail(Error{
      ErrorKind::config,
      fmt::format("`package.source` is {}, and {} {}", quoted(source), quoted(directory.string()),
                  missing ? "does not exist" : "is not a directory")}
                  .with_location(matrix.package.source_at)
                  .with_hint("`package.source` is the project's directory, relative to the matrix "
                             "file"));
}

}  // namespace pinwheel::prepare
