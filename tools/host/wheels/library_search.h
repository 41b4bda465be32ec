#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "host/machine/env_machine.h"
#include "repair/facts.h"

namespace pinwheel::host {

/// The places to search for libraries.
struct LibraryPlace {
  const EnvMachine& machine;  ///< whose libraries are searched: the host's, or an image's
  /// An empty directory that the machine's commands see at the same path; copies go there.
  std::filesystem::path scratch;
  std::vector<std::string> directories = {};  ///< as LD_LIBRARY_PATH
  /// Makes a command see the file system of the build; empty: commands run unchanged.
  std::function<ports::Command(ports::Command)> wrap = {};
};

/// The directories in a value of LD_LIBRARY_PATH, absolute: as in the loader, `;` separates them
/// too, and relative and empty ones begin at the working directory. An empty value has none.
std::vector<std::string> loader_directories(std::string_view value,
                                            const std::filesystem::path& working_directory);

/// The libraries that a repair needs.
struct FoundLibraries {
  std::map<std::string, repair::Library> libraries = {};  ///< by the name under which they are
                                                          ///< needed
  std::set<std::string> missing = {};
  std::map<std::string, std::filesystem::path> copies = {};  ///< path on the machine -> a file here
};

/// Searches for the closure of the wheel's needs, as the loader does: search paths of the libraries
/// that need one, LD_LIBRARY_PATH, the loader's cache, the usual directories. Files for another
/// machine or C library are skipped. On the host, without `wrap`, only the query of the cache
/// starts a process; else there is one process per level of dependencies. A library that is not
/// found is a value.
Result<FoundLibraries> find_libraries(const LibraryPlace& place, repair::Facts facts);

}  // namespace pinwheel::host
