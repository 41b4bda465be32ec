#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "host/machine/env_machine.h"
#include "repair/facts.h"

namespace pinwheel::host {

/// Where libraries are looked for.
struct LibraryPlace {
  const EnvMachine& machine;  ///< whose libraries they are: the host's, or an image's
  /// An empty directory that the machine's commands see at the same path; copies go there.
  std::filesystem::path scratch;
  std::vector<std::string> directories = {};  ///< as LD_LIBRARY_PATH
  /// Makes a command see what the build saw; empty: commands run as they are.
  std::function<ports::Command(ports::Command)> wrap = {};
};

/// The libraries that a repair needs.
struct FoundLibraries {
  std::map<std::string, repair::Library> libraries = {};  ///< by the name they are needed under
  std::set<std::string> missing = {};
  std::map<std::string, std::filesystem::path> copies = {};  ///< path on the machine -> a file here
};

/// Looks for the closure of what the wheel needs, as the loader does: search paths of those who
/// need it, LD_LIBRARY_PATH, the loader's cache, the usual directories; files for another machine
/// or another C library are passed over. On the host, without `wrap`, no process is started but for
/// the cache; else one per level of dependencies. A library that is not found is a value.
Result<FoundLibraries> find_libraries(const LibraryPlace& place, repair::Facts facts);

}  // namespace pinwheel::host
