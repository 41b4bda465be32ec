#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "inspect/library_lookup.h"
#include "repair/edit.h"
#include "repair/facts.h"
#include "repair/launcher.h"

namespace pinwheel::repair {

/// A library to add to the wheel.
struct Graft {
  std::string member;                  ///< "demo.libs/libjpeg-1a2b3c4d.so.62"
  std::string soname;                  ///< its new name, "libjpeg-1a2b3c4d.so.62"
  std::vector<std::string> needed_as;  ///< the names under which it was needed, sorted
  std::string path;                    ///< on the machine of the build
  std::string sha256;                  ///< of that file, hexadecimal
};

/// The complete repair, decided before any action.
struct RepairPlan {
  std::vector<Graft> grafts = {};              ///< by member
  std::vector<Edit> edits = {};                ///< those with effect: wheel order, then grafts
  std::vector<MovedProgram> programs = {};     ///< each has an edit, too
  std::vector<std::string> requirements = {};  ///< to add: "nvidia-cuda-runtime-cu12"
  /// The resulting platform tags: the oldest policy that the binaries justify, or the target's.
  /// Valid tags stay when nothing else changes.
  std::vector<std::string> platforms = {};
  bool retagged = false;                ///< whether they differ from the wheel's
  std::vector<std::string> notes = {};  ///< decisions to report, without an action of their own
  std::vector<Error> problems = {};     ///< problems that cannot be repaired, and why

  /// Whether the wheel's libraries or requirements change.
  bool changes() const { return !edits.empty() || !requirements.empty(); }
  /// Whether there is anything to do.
  bool is_needed() const { return changes() || retagged; }
};

/// Decides the repair. The closure must have been searched (`wanted` returns nothing). An
/// unrepairable fault is a problem of the plan: a library that was not found, versions that are too
/// new for the target or for every policy.
RepairPlan plan_repair(const Facts& facts);

/// The new name of a grafted library, with the first 8 digits of the digest of its contents:
/// "libjpeg-1a2b3c4d.so.62" for "libjpeg.so.62". Two wheels that graft the same file share it in a
/// process; two different files never clash. `needed_as` is used for a library without SONAME.
std::string graft_name(const Library& library, const std::string& needed_as);

/// The advice for a library that was not found, with the names of packages that may have it by the
/// conventions of Debian ("libjpeg62" for "libjpeg.so.62") and of RPM ("libjpeg.so.62()(64bit)").
std::string package_hint(const std::string& soname);

/// A library whose search path is decided.
struct PathOwner {
  std::string member;     ///< for messages
  std::string installed;  ///< relative to site-packages; empty: it is installed elsewhere
  std::string old_path;   ///< its RPATH, or its RUNPATH
};

/// The directories of its dependencies, relative to site-packages.
struct Places {
  /// Directories that the new search path must have.
  std::vector<std::string> required = {};
  /// Directories of the wheel's own libraries, which a dropped entry may have found.
  std::vector<std::string> own = {};
};

/// A decided search path.
struct SearchPath {
  std::string text;                       ///< entries joined by colons
  std::vector<std::string> dropped = {};  ///< old entries that are not valid after installation
};

/// Preserves the old entries that stay inside site-packages, drops the others, and adds those that
/// `places` needs, each once. When something is dropped, directories of the wheel's own libraries
/// are added too.
SearchPath search_path(const PathOwner& owner, const Places& places);

}  // namespace pinwheel::repair
