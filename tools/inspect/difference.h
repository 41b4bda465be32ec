#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "inspect/cause.h"
#include "inspect/kernel_changes.h"
#include "inspect/wheel_facts.h"

namespace pinwheel::inspect {

enum class Sameness {
  identical,      ///< the same bytes
  same_contents,  ///< the same files, archived differently
  different,
};
/// "identical", "same-contents", "different".
std::string_view to_string(Sameness sameness);

/// Names that only one side has.
struct NameChanges {
  std::vector<std::string> gained = {};
  std::vector<std::string> lost = {};

  bool empty() const { return gained.empty() && lost.empty(); }
  bool operator==(const NameChanges&) const = default;
};

/// A file in both wheels with different contents.
struct ChangedMember {
  std::string name;
  uint64_t old_size = 0;
  uint64_t new_size = 0;
  Cause cause = Cause::contents;
  std::vector<std::string> sections = {};  ///< of a library: the sections that differ
  NameChanges symbols = {};                ///< of a library: its exported symbols
};

enum class Side { old_wheel, new_wheel };

/// A part of a wheel that could not be read: what it contains is missing in the difference.
struct UnreadPart {
  Side side = Side::old_wheel;
  std::string file;     ///< the member
  std::string message;  ///< of the first part of the member that could not be read

  bool operator==(const UnreadPart&) const = default;
};

/// The changes from one wheel to another.
struct WheelDifference {
  Sameness sameness = Sameness::different;
  std::vector<std::string> archive =
      {};  ///< differences of the archives: "order", "time", "compression", "mode"
  NameChanges members = {};
  std::vector<ChangedMember> changed = {};  ///< except RECORD, which follows from the others
  NameChanges metadata = {};                ///< header lines of METADATA
  NameChanges tags = {};
  NameChanges needed = {};         ///< libraries
  NameChanges architectures = {};  ///< of device code
  NameChanges operators = {};      ///< schemas, if both were gathered with `Detail::kernels`
  NameChanges requirements = {};   ///< Requires-Dist and Requires-Python
  KernelChanges kernels = {};      ///< the same as for `operators`
  std::vector<SizeChange> sizes = {};
  /// Members whose device code, kernels or operators are known in part only.
  std::vector<UnreadPart> unread = {};
};

/// Reads a member of one side; on an error the cause of the member stays `contents`.
using ReadMember = std::function<Result<std::string>(Side, const std::string&)>;

/// Compares the contents of two wheels. `same_bytes`: whether the files are identical.
WheelDifference difference(const WheelFacts& old_wheel, const WheelFacts& new_wheel,
                           bool same_bytes, const ReadMember& read);

}  // namespace pinwheel::inspect
