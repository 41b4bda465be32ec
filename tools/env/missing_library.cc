#include "env/missing_library.h"

#include <array>

#include "base/text.h"
#include "env/cuda_part.h"
#include "project/debian_package.h"

namespace pinwheel::env {
namespace {

/// Words of a tool around the name of what it lacks.
struct Lament {
  std::string_view before;
  std::string_view after;  ///< must follow the name on the line; empty: the name ends at a space
};

constexpr std::array kLaments = {
    Lament{"fatal error: ", ": No such file or directory"},
    Lament{"fatal error: '", "' file not found"},
    Lament{"cannot find -l", ""},
    Lament{"unable to find library -l", ""},
    Lament{"ERROR: Dependency \"", "\" not found"},
    Lament{"Could NOT find ", ""},
    Lament{"Could not find a package configuration file provided by \"", "\""},
    Lament{"Package '", "', required by"},
    Lament{"No package '", "' found"},
    Lament{"Could not run ", "-config: "},
    Lament{"No such file or directory: '", "-config'"},
};

/// The name in a line that has the words; empty if it has not.
std::string_view lacked(std::string_view line, const Lament& lament) {
  const size_t at = line.find(lament.before);
  if (at == std::string_view::npos) return {};
  line.remove_prefix(at + lament.before.size());
  const size_t end = lament.after.empty() ? line.find_first_of(" :") : line.find(lament.after);
  if (end == std::string_view::npos) return lament.after.empty() ? line : std::string_view();
  return line.substr(0, end);
}

/// CMake names what a target links below a heading: "    CUDA::cublas".
constexpr std::string_view kCudaTarget = "CUDA::";

/// The package of a library, or of a header: "libpng-dev" for "png.h", "libcurl4-openssl-dev" for
/// "curl/easy.h".
std::string package_of_name(std::string_view name) {
  const bool header = name.ends_with(".h") || name.ends_with(".hpp");
  return header ? project::debian_package_of_header(name) : project::debian_package(name);
}

}  // namespace

std::optional<MissingLibrary> missing_library(std::string_view output) {
  for (const std::string& text : split(output, '\n')) {
    const std::string_view line = trim(text);
    // CMake also says so of what it only would have liked, after dashes.
    if (line.starts_with("--")) continue;
    if (line.starts_with(kCudaTarget)) {
      const std::string part = cuda_part(line.substr(kCudaTarget.size()));
      if (!part.empty()) return MissingLibrary{std::string(line), part, LibrarySource::cuda};
    }
    for (const Lament& lament : kLaments) {
      const std::string_view name = lacked(line, lament);
      if (const std::string part = cuda_part(name); !part.empty()) {
        return MissingLibrary{std::string(line), part, LibrarySource::cuda};
      }
      const std::string package = name.empty() ? std::string() : package_of_name(name);
      if (!package.empty()) return MissingLibrary{std::string(line), package};
    }
  }
  // psycopg2 says so in prose.
  if (output.find("pg_config executable not found") != std::string_view::npos) {
    return MissingLibrary{"pg_config executable not found", project::debian_package("pq")};
  }
  return std::nullopt;
}

}  // namespace pinwheel::env
