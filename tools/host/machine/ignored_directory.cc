#include "host/machine/ignored_directory.h"

namespace pinwheel::host {

Done make_ignored_directory(ports::Files& files, const std::filesystem::path& directory) {
  TRY_DONE(files.make_directories(directory));
  TRY(const ports::FileStatus status, files.status(directory / ".gitignore"));
  if (status.type != ports::FileType::missing) return {};
  return files.write(directory / ".gitignore", "*\n");
}

Done make_output_directory(ports::Files& files, const std::filesystem::path& directory) {
  TRY(const ports::FileStatus status, files.status(directory));
  if (status.type != ports::FileType::missing) return {};
  return make_ignored_directory(files, directory);
}

}  // namespace pinwheel::host
