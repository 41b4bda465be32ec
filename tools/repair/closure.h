#pragma once
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
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
  missing,     ///< to be grafted, but not found
  unnameable,  ///< to be grafted, but no file of a wheel can have its name
};

/// A needed library, its fate, and who needs it.
struct NeededEntry {
  Fate fate = Fate::system;
  std::string needed_by;  ///< the first: a member, or the path of a library to be grafted
};

/// Every library that the wheel and its grafts need, by name. Libraries that were not looked for
/// yet have the fate `missing`.
std::map<std::string, NeededEntry> closure_of(const Facts& facts);

/// Whether a library may have this name in a wheel: characters that are shown, no backslash, not
/// too long for a file. An empty name is that of a library without SONAME.
bool is_library_name(std::string_view soname);

/// A library to look for.
struct Wanted {
  std::string soname;
  uint16_t machine = 0;  ///< as in the ELF header
  /// Directories from the search paths of those who need it, in order; `$ORIGIN` is expanded.
  std::vector<std::string> directories = {};
};

class Fates;

/// The search for what a repair needs, a level of dependencies at a time, in linear time.
class ClosureSearch {
 public:
  /// The facts must outlive the search; their `libraries` and `missing` grow between its rounds.
  explicit ClosureSearch(const Facts& facts);

  /// The libraries that must be looked for next; none: everything is known. As for the loader,
  /// their directories are those of who needs them, and the RPATH of whoever loads those.
  std::vector<Wanted> next();

 private:
  /// A library whose needs are looked at.
  struct Visited {
    const binary::Elf* elf;
    std::string origin;  ///< its directory on the machine; empty for a member of the wheel
    std::shared_ptr<const std::vector<std::string>>
        inherited;  ///< directories by RPATH, nearest first
  };

  void visit(const Visited& visited);
  void ask(const std::string& soname, const Visited& by);
  void enter(const std::string& soname, const Visited& by);
  Wanted wanted(const std::string& soname, const std::vector<Visited>& needed_by) const;

  const Facts& facts_;
  std::shared_ptr<const Fates> rules_ = nullptr;
  std::vector<std::string> of_wheel_ = {};  ///< every directory in a member's RPATH
  std::deque<Visited> waiting_ = {};
  std::set<std::string> seen_ = {};  ///< names whose needs are looked at, or that have none
  std::map<std::string, std::vector<Visited>> open_ =
      {};  ///< names that are looked for, and by whom
};

/// The libraries that must be looked for before a repair can be planned; looking for them may
/// reveal more.
std::vector<Wanted> wanted(const Facts& facts);

}  // namespace pinwheel::repair
