#pragma once
#include <string>
#include <vector>

#include "base/error.h"
#include "repair/edit.h"
#include "repair/facts.h"
#include "repair/launcher.h"

namespace pinwheel::repair {

/// A library that is put into the wheel.
struct Graft {
  std::string member;                  ///< "demo.libs/libjpeg-1a2b3c4d.so.62"
  std::string soname;                  ///< its new name, "libjpeg-1a2b3c4d.so.62"
  std::vector<std::string> needed_as;  ///< the names it was needed under, sorted
  std::string path;                    ///< on the machine of the build
  std::string sha256;                  ///< of that file, hexadecimal
};

/// Everything that a repair does, decided before anything is done.
struct RepairPlan {
  std::vector<Graft> grafts = {};              ///< by member
  std::vector<Edit> edits = {};                ///< those with effect: wheel order, then grafts
  std::vector<MovedProgram> programs = {};     ///< each has an edit, too
  std::vector<std::string> requirements = {};  ///< to add: "nvidia-cuda-runtime-cu12"
  /// The resulting platform tags: the oldest policy that the binaries justify, or the target's.
  /// Tags that already hold are kept when nothing else changes.
  std::vector<std::string> platforms = {};
  bool retagged = false;                ///< whether they differ from the wheel's
  std::vector<std::string> notes = {};  ///< decisions to tell, without an action of their own
  std::vector<Error> problems = {};     ///< what cannot be repaired, and why

  /// Whether the wheel's libraries or requirements change.
  bool changes() const { return !edits.empty() || !requirements.empty(); }
  /// Whether there is anything to do.
  bool is_needed() const { return changes() || retagged; }
};

/// Decides the repair. The closure must have been searched (`wanted` returns nothing). What cannot
/// be repaired is a problem of the plan: a library that was not found, versions that are too new
/// for the target or for every policy.
RepairPlan plan_repair(const Facts& facts);

}  // namespace pinwheel::repair
