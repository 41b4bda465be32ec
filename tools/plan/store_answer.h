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

/// What a store has for a run that asks for a step.
enum class StoreAnswer {
  taken,         ///< a result with the step's key
  handed_off,    ///< one of this frozen plan, with another compiler or toolkit
  skipped,       ///< one with the key, of a test that could not run there
  other_domain,  ///< one with the key, of a domain that the run does not read
  lacks_files,   ///< one with the key, whose files are not all there
  other_key,     ///< only results with other keys
  nothing,       ///< no result of a step of that kind
};

/// "taken", "handed-off", ...
std::string_view to_string(StoreAnswer answer);

/// A step that a run asks for.
struct StoreQuestion {
  std::string step;
  PartialKey key = {};
  store::Domain domain = store::Domain::branch;  ///< of the run
  store::InstalledPackages packages = {};        ///< of the step's environment; empty: not known
};

/// The answer, and the result that shows it best.
struct StoreReply {
  StoreQuestion question;
  StoreAnswer answer = StoreAnswer::nothing;
  std::optional<store::Entry> nearest = std::nullopt;
  /// From the nearest result to this run; nothing of what is not known yet.
  std::vector<KeyDifference> differences = {};
  /// The same of the packages, if it is the environments that differ and those of both are known.
  std::vector<PackageDifference> packages = {};
};

/// Whether a difference is that the step has another environment, whose key is a digest.
bool is_of_environment(const KeyDifference& difference);

/// For a result that a run would take.
StoreReply taken_reply(StoreQuestion question, store::Entry result);

/// For a step that a run would not take any result for. The nearest is one of the same step, else
/// of the same kind of step, with the fewest differences; of several, the newest.
StoreReply missing_reply(StoreQuestion question, const std::vector<store::Entry>& stored);

}  // namespace pinwheel::plan
