#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "inspect/platform_tag.h"
#include "inspect/wheel_facts.h"
#include "pep/tag.h"

namespace pinwheel::inspect {

/// A library of the wheel that the loader does not find where another needs it. Members are indexes
/// into the libraries.
struct LostLibrary {
  size_t opened = 0;  ///< the library whose opening fails
  size_t needed_by = 0;
  std::string soname;  ///< the name by which it is needed
  size_t library = 0;

  bool operator==(const LostLibrary&) const = default;
};

/// For each of `opened`, the libraries of the wheel that are not found when it is opened on its
/// own, as ld.so searches: first names that are already loaded; then, without a RUNPATH, the RPATH
/// of the library that needs the name and of the libraries that loaded that one; then its RUNPATH.
/// musl merges both into one path, and includes those of the libraries that loaded it. Entries that
/// point into site-packages count. After a failed lookup, the search continues as if the needing
/// library had the path. Each need is listed once, even if several libraries fail because of it.
/// Libraries outside site-packages never count as missing, because their location is unknown.
std::vector<LostLibrary> lost_libraries(const std::vector<ElfMember>& libraries,
                                        const std::vector<size_t>& opened, pep::Libc libc);

/// A library of the wheel that an import needs and the loader does not find.
struct UnreachableLibrary {
  std::string module;     ///< the member that Python imports
  std::string needed_by;  ///< the module, or a library that it needs
  std::string soname;
  std::string library;  ///< the member that has this name
  /// Whether Python code of the wheel opens libraries, or another module finds the library. It may
  /// then already be loaded.
  bool may_be_loaded = false;

  bool operator==(const UnreachableLibrary&) const = default;
};

/// The lost libraries of all modules. Names that the system, torch, a GPU vendor or `external` also
/// provides do not count.
std::vector<UnreachableLibrary> unreachable_libraries(const WheelFacts& facts,
                                                      const std::vector<std::string>& external);

/// "needs `libcore.so`, which is in the wheel as `demo/lib/libcore.so`, but no search path leads
/// there".
std::string to_words(const UnreachableLibrary& library);

}  // namespace pinwheel::inspect
