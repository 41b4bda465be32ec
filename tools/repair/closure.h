#pragma once
#include <map>
#include <string>
#include <vector>

#include "repair/facts.h"

namespace pinwheel::repair {

/// What happens with a library that the wheel or one of its grafts needs.
enum class Fate {
  system,       ///< every system of the target has it
  own,          ///< the wheel has it
  provided,     ///< torch, the driver or the user's declaration
  gpu,          ///< a GPU toolkit's: it comes from a requirement, never from a graft
  python,       ///< libpython: extensions must not need it (PEP 513), the entry is removed
  requirement,  ///< another requirement of the wheel installs it
  graft,
  missing,  ///< to be grafted, but not found
};

/// A needed library, its fate, and who needs it.
struct NeededEntry {
  Fate fate = Fate::system;
  std::string needed_by;  ///< the first: a member, or the path of a library to be grafted
};

/// Every library that the wheel and its grafts need, by name. Libraries that were not looked for
/// yet have the fate `missing`.
std::map<std::string, NeededEntry> closure_of(const Facts& facts);

/// A library to look for.
struct Wanted {
  std::string soname;
  uint16_t machine = 0;  ///< as in the ELF header
  /// Directories from the search paths of those who need it, in order; `$ORIGIN` is expanded.
  std::vector<std::string> directories = {};
};

/// The libraries that must be looked for before a repair can be planned; looking for them may
/// reveal more.
std::vector<Wanted> wanted(const Facts& facts);

}  // namespace pinwheel::repair
