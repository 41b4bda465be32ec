#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plan/environments.h"
#include "plan/key.h"
#include "plan/known_results.h"
#include "store/domain.h"
#include "store/entry.h"

namespace pinwheel::plan {

/// The answer of a store to a run that looks up a step.
enum class StoreAnswer {
  taken,         ///< a result with the step's key
  handed_off,    ///< a result of this frozen plan, made with another compiler or toolkit
  skipped,       ///< a result with the key, of a test that could not run there
  other_domain,  ///< a result with the key, of a domain that the run does not read
  lacks_files,   ///< a result with the key, some of whose files are missing
  other_key,     ///< only results with other keys
  nothing,       ///< no result of a step of that kind
};

/// "taken", "handed-off", ...
std::string_view to_string(StoreAnswer answer);

/// A step that a run looks up.
struct StoreQuestion {
  std::string step;
  PartialKey key = {};
  store::Domain domain = store::Domain::branch;  ///< of the run
  store::InstalledPackages packages = {};        ///< of the step's environment; empty: not known
};

/// The answer, and the result that explains it best.
struct StoreReply {
  StoreQuestion question;
  StoreAnswer answer = StoreAnswer::nothing;
  std::optional<store::Entry> nearest = std::nullopt;
  /// From the nearest result to this run; without parts that are not known yet.
  std::vector<KeyDifference> differences = {};
  /// The same for the packages, if the environments differ and the packages of both are known.
  std::vector<PackageDifference> packages = {};
};

/// Whether a difference is another environment of the step, whose key is a digest.
bool is_of_environment(const KeyDifference& difference);

/// The reply for a result that a run would use.
StoreReply taken_reply(StoreQuestion question, store::Entry result);

/// The reply for a step without a result that a run would use. The nearest result is one of the
/// same step, else of the same kind of step, with the fewest differences; of several, the newest.
StoreReply missing_reply(StoreQuestion question, const std::vector<store::Entry>& stored);

}  // namespace pinwheel::plan
