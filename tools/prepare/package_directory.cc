#include "prepare/package_directory.h"

#include <fmt/format.h>

#include "base/text.h"
#include "prepare/host.h"

namespace pinwheel::prepare {

namespace fs = std::filesystem;

Result<fs::path> package_directory(const Host& host, const matrix::Matrix& matrix) {
  const std::string& source = matrix.package.source;
  const fs::path directory = host.at(fs::path(matrix.directory) / source);
  if (source.empty()) return directory;
  const ports::FileType type = host.files.type_behind(directory);
  if (type == ports::FileType::directory) return directory;
  const bool missing = type == ports::FileType::missing;
  return fail(Error{
      ErrorKind::config,
      fmt::format("`package.source` is {}, and {} {}", quoted(source), quoted(directory.string()),
                  missing ? "does not exist" : "is not a directory")}
                  .with_location(matrix.package.source_at)
                  .with_hint("`package.source` is the project's directory, relative to the matrix "
                             "file"));
}

}  // namespace pinwheel::prepare
