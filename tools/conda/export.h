#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "env/lock.h"

namespace pinwheel::conda {

/// An environment to rebuild without pinwheel.
struct EnvironmentExport {
  std::string id;                         ///< of the variant
  env::Lock lock;                         ///< its packages, image and toolkits
  std::string base = {};                  ///< the base image, by digest if a registry has it
  std::string dockerfile = {};            ///< text of the Dockerfile; empty: the base as is
  std::string stage = {};                 ///< target stage of that Dockerfile; empty: the last
  std::vector<std::string> secrets = {};  ///< names of the variables that builds need
};

struct ExportedFile {
  std::string path;  ///< relative
  std::string text;
  uint32_t mode = 0644;
};

/// The directory of all files of an export except the Dockerfile.
inline constexpr const char* kExportDirectory = "environment";

/// The files of an export: `Dockerfile`, and in `environment/` the lists (`@EXPLICIT` and, for
/// machines without a conda client, the packages for py-rattler; requirements with hashes; the PEP
/// 751 lock) and `create.sh`, which rebuilds the environment from them in a directory. PipPackage
/// files next to the lists take precedence, for packages that no index has.
std::vector<ExportedFile> export_files(const EnvironmentExport& what);

/// A Dockerfile with new defaults for its build arguments, so that it builds without `--build-arg`.
std::string with_arguments(const std::string& dockerfile,
                           const std::map<std::string, std::string>& arguments);

}  // namespace pinwheel::conda
