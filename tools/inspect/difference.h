#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "inspect/cause.h"
#include "inspect/wheel_facts.h"

namespace pinwheel::inspect {

enum class Sameness {
  identical,      ///< the same bytes
  same_contents,  ///< the same files in another archive
  different,
};
/// "identical", "same-contents", "different".
std::string_view to_string(Sameness sameness);

/// Names that one side has and the other has not.
struct NameChanges {
  std::vector<std::string> gained = {};
  std::vector<std::string> lost = {};

  bool empty() const { return gained.empty() && lost.empty(); }
  bool operator==(const NameChanges&) const = default;
};

/// A file that both have with other contents.
struct ChangedMember {
  std::string name;
  uint64_t old_size = 0;
  uint64_t new_size = 0;
  Cause cause = Cause::contents;
  std::vector<std::string> sections = {};  ///< of a library: those that differ
  NameChanges symbols = {};                ///< of a library: what it gives to others
};

/// What changed from one wheel to another.
struct WheelDifference {
  Sameness sameness = Sameness::different;
  std::vector<std::string> archive =
      {};  ///< "order", "time", "compression", "mode": of the archive
  NameChanges members = {};
  std::vector<ChangedMember> changed = {};  ///< without RECORD, which follows from the others
  NameChanges metadata = {};                ///< lines of METADATA's headers
  NameChanges tags = {};
  NameChanges needed = {};         ///< libraries
  NameChanges architectures = {};  ///< of device code
};

enum class Side { old_wheel, new_wheel };
/// The contents of a member of one side; an error leaves its cause at `contents`.
using ReadMember = std::function<Result<std::string>(Side, const std::string&)>;

/// Compares what two wheels hold. `same_bytes` tells whether the files are equal.
WheelDifference difference(const WheelFacts& old_wheel, const WheelFacts& new_wheel,
                           bool same_bytes, const ReadMember& read);

}  // namespace pinwheel::inspect
