#include "host/machine/workplace.h"

#include <filesystem>
#include <utility>

namespace pinwheel::host {

CacheUser cache_user(const Workplace& workplace, std::string step) {
  // The directory of `matrix.yaml` is written with a trailing slash.
  const std::filesystem::path& directory = workplace.matrix_directory;
  const auto project = directory.has_filename() ? directory : directory.parent_path();
  return {project.string(), std::move(step)};
}

ports::NotSource not_source(const Workplace& workplace) {
  return {{workplace.output, workplace.state, workplace.cache}, workplace.named};
}

}  // namespace pinwheel::host
