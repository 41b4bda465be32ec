#include "host/steps/checkout_place.h"

#include <system_error>
#include <utility>

#include "host/steps/build_command.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

bool leads_outside(const fs::path& relative) {
  return relative.empty() || relative == "." || *relative.begin() == "..";
}

/// The path below the source. A relative one is named from the package's root or from a directory
/// below that, where a build system ran.
fs::path below_source(const BuildSpace& space, const fs::path& file) {
  if (file.is_absolute()) {
    return file.lexically_normal().lexically_relative(space.seen(kSourceName));
  }
  fs::path below = file.lexically_normal();
  while (!below.empty() && *below.begin() == "..") {
    below = below.lexically_relative("..");
  }
  return below;
}

}  // namespace

std::optional<Location> checkout_place(const BuildSpace& space, const fs::path& package,
                                       Location named) {
  const fs::path below = below_source(space, named.file);
  if (leads_outside(below)) return std::nullopt;
  std::error_code unknown;
  // A build that stopped may have made files; only those of the checkout can be edited.
  const fs::path file = (package / below).lexically_normal();
  if (!fs::is_regular_file(file, unknown)) return std::nullopt;
  const fs::path here = file.lexically_relative(fs::current_path(unknown));
  named.file = (leads_outside(here) ? file : here).string();
  return named;
}

}  // namespace pinwheel::host
