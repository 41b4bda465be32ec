#pragma once
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "repair/facts.h"

// The closure of a repair
//
// `repair` copies libraries of the machine into a wheel. Which ones? Those that the wheel needs,
// that its users may not have, and the libraries that those need in turn. Each needed library has
// a fate, which `Fates::of` decides in this order:
//
//     own          the wheel has it
//     system       every system of the target policy has it         libc.so.6, libstdc++.so.6
//     python       libpython: removed, modules must not need it
//     provided     torch's, the driver's, or named by `--exclude`   libtorch.so, libcuda.so.1
//     gpu          a GPU toolkit's, by its name                      libcudart.so.13
//     unnameable   its name cannot be the name of a file
//     missing      it was not found, or not looked for yet
//     requirement  another distribution that the wheel requires has it
//     gpu          a GPU toolkit's, by the directory or distribution of the file that was found
//     graft        everything else: it is copied
//
// The order matters. A name takes precedence over a file, so a library of the policy is never
// searched for, and libtorch is never copied, even if the machine has a copy of it.
//
// Only the needs of grafts count: torch itself provides the needs of libtorch. So the closure and
// the search depend on each other. `ClosureSearch` therefore works in rounds. Example, for a wheel
// with `demo/_C.so` that needs libtiff.so.6, libtorch.so and libc.so.6:
//
//     next()   libtorch.so is provided, libc.so.6 is of the system. Asks for libtiff.so.6.
//     (found)  /usr/lib/x86_64-linux-gnu/libtiff.so.6, needs libjpeg.so.62 and libz.so.1
//     next()   libtiff is a graft. libz.so.1 is of the system. Asks for libjpeg.so.62.
//     (found)  /usr/lib/x86_64-linux-gnu/libjpeg.so.62, needs libc.so.6
//     next()   nothing to ask for: everything is known.
//
// The caller looks for the libraries on the machine between the rounds, because this module reads
// no files. Every library is visited once, so long chains take linear time.
//
// A library is searched for where the loader would search: in the RPATH and RUNPATH of the
// libraries that need it, and in the RPATH of all libraries that loaded these. DT_RPATH is
// inherited along the chain of loaders, and DT_RUNPATH is not; a library with a RUNPATH ignores its
// own RPATH. That is why each visited library has the inherited directories of the first library
// that needed it.
namespace pinwheel::repair {

/// The fate of a library that the wheel or one of its grafts needs.
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

/// A needed library, its fate, and the library that needs it.
struct NeededEntry {
  Fate fate = Fate::system;
  std::string needed_by;  ///< the first: a member, or the path of a library to be grafted
};

/// Every library that the wheel and its grafts need, by name. Libraries that were not searched for
/// yet have the fate `missing`.
std::map<std::string, NeededEntry> closure_of(const Facts& facts);

/// Whether a library may have this name in a wheel: only visible characters, no backslash, not too
/// long for a file. An empty name is that of a library without SONAME.
bool is_library_name(std::string_view soname);

/// A library to search for.
struct Wanted {
  std::string soname;
  uint16_t machine = 0;  ///< as in the ELF header
  /// Directories from the search paths of the libraries that need it, in order; `$ORIGIN` is
  /// expanded.
  std::vector<std::string> directories = {};
};

class Fates;

/// The search for the libraries that a repair needs, one level of dependencies at a time, in linear
/// time.
class ClosureSearch {
 public:
  /// The facts must outlive the search; their `libraries` and `missing` grow between its rounds.
  explicit ClosureSearch(const Facts& facts);

  /// The libraries to search for next; none: everything is known. As for the loader, their
  /// directories are those of the libraries that need them, and the RPATH of the libraries that
  /// load these.
  std::vector<Wanted> next();

 private:
  /// A library whose needs are visited.
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
  std::set<std::string> seen_ = {};  ///< names whose needs are visited, or that have none
  std::map<std::string, std::vector<Visited>> open_ =
      {};  ///< searched names, and the libraries that need them
};

/// The libraries to search for before a repair can be planned; the search may reveal more.
std::vector<Wanted> wanted(const Facts& facts);

}  // namespace pinwheel::repair
