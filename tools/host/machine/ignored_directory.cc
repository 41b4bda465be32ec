#include "host/machine/ignored_directory.h"

#include <fmt/format.h>

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

constexpr const char* kIgnoreFile = ".gitignore";

Done ignore_contents(ports::Files& files, const fs::path& directory) {
  TRY(const ports::FileStatus status, files.status(directory / kIgnoreFile));
  if (status.type != ports::FileType::missing) return {};
  return files.write(directory / kIgnoreFile, "*\n");
}

Result<bool> is_missing(ports::Files& files, const fs::path& directory) {
  TRY(const ports::FileStatus status, files.status(directory));
  return status.type == ports::FileType::missing;
}

/// A process that is killed before the end leaves a directory with the temporary name, which the
/// next one reuses: nobody ever sees `directory` without its file.
Done make_new_directory(ports::Files& files, const fs::path& directory) {
  const fs::path name = directory.has_filename() ? directory : directory.parent_path();
  const fs::path made = name.parent_path() / fmt::format(".{}.new", name.filename().string());
  TRY_DONE(files.make_directories(made));
  TRY_DONE(ignore_contents(files, made));
  Done moved = files.rename(made, name);
  if (moved) return {};
  // Another process was faster.
  TRY(const bool missing, is_missing(files, name));
  if (missing) return moved;
  return files.remove_all(made);
}

}  // namespace

Done make_ignored_directory(ports::Files& files, const fs::path& directory) {
  TRY(const bool missing, is_missing(files, directory));
  if (missing) return make_new_directory(files, directory);
  TRY_DONE(files.make_directories(directory));
  return ignore_contents(files, directory);
}

Done make_output_directory(ports::Files& files, const fs::path& directory) {
  TRY(const bool missing, is_missing(files, directory));
  return missing ? make_new_directory(files, directory) : Done{};
}

}  // namespace pinwheel::host
