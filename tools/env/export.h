#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "env/lock.h"

namespace pinwheel::env {

/// An environment to be rebuilt where there is no pinwheel.
struct EnvironmentExport {
  std::string id;               ///< of the variant
  Lock lock;                    ///< its packages, image and toolkits
  std::string base = {};        ///< an image, by digest where a registry has it
  std::string dockerfile = {};  ///< the text that is built on the base; empty: the base as it is
  std::string stage = {};       ///< of that Dockerfile; empty: its last
};

struct ExportedFile {
  std::string path;  ///< relative
  std::string text;
  uint32_t mode = 0644;
};

/// The directory that holds all of an export but the Dockerfile.
inline constexpr const char* kExportDirectory = "environment";

/// The files of an export: `Dockerfile`, and in `environment/` the lists (`@EXPLICIT` and, for
/// machines without a conda client, what py-rattler installs; requirements with hashes; the PEP 751
/// lock) and `create.sh`, which rebuilds the environment from them in a directory. Packages that
/// lie beside the lists are found there first, for those that no index has.
std::vector<ExportedFile> export_files(const EnvironmentExport& what);

/// A Dockerfile with other defaults for its build arguments, so that it builds as it stands.
std::string with_arguments(const std::string& dockerfile,
                           const std::map<std::string, std::string>& arguments);

}  // namespace pinwheel::env
