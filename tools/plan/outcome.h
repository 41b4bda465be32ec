#pragma once
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/result.h"
#include "plan/attempt_trace.h"
#include "store/derived_file.h"

namespace pinwheel::plan {

/// `unfinished`: a build that was stopped in time and continues in the next run, and what needs it.
enum class StepState { done, failed, blocked, reused, skipped, interrupted, unfinished };
/// The evidence of a test, weakest first.
enum class Evidence { none, inspected, loaded, ran };

std::string_view to_string(StepState state);
std::string_view to_string(Evidence evidence);
std::optional<StepState> parse_step_state(std::string_view name);
std::optional<Evidence> parse_evidence(std::string_view name);

/// The position of a step in the matrix: axis -> value, in the order of the matrix's axes.
using Axes = std::vector<std::pair<std::string, std::string>>;

/// A file that a step produced, by contents.
struct Output {
  std::string path;    ///< absolute, or relative to the output directory of the run
  std::string sha256;  ///< hex
  uint64_t size = 0;

  bool operator==(const Output&) const = default;
};

struct StepOutcome {
  std::string id;
  std::string key;  ///< of the result: includes the products of its needs
  std::map<std::string, std::string> parts = {};  ///< the parts of the key (plan/key.h)
  StepState state = StepState::done;
  int attempts = 0;
  /// Of its own work, retries included; of a build that continued from a checkpoint, with the runs
  /// that led to it.
  std::chrono::milliseconds elapsed{0};
  std::string log = {};     ///< path of the last attempt's log; empty if there is none
  std::string reason = {};  ///< why skipped or blocked: "no cu130 torch here", "`build:cpu` failed"
  Evidence evidence = Evidence::none;
  std::string environment = {};  ///< "build": a test saw the build's packages; empty otherwise
  std::vector<Output> outputs = {};
  std::vector<store::DerivedFile> derivations = {};  ///< among the outputs
  std::optional<Error> error = std::nullopt;
  std::vector<std::string> warnings = {};   ///< for people who use the result
  std::chrono::milliseconds installing{0};  ///< of packages for it, in addition
  std::vector<std::string> needs = {};      ///< ids of the steps that it needs
  /// Where a reused result was found: "journal", or the name of a place; empty if it ran.
  std::string reused_from = {};
  std::vector<AttemptTrace> trace = {};  ///< of each attempt; empty in old records
  /// The `traceparent` of its span, in the trace of the run that executed it; empty if that run did
  /// not export its trace (plan/trace_context).
  std::string span = {};
  /// A test or installation has all axes of its variant, and `image` if it ran on a distribution; a
  /// build has the values that all of its variants have. Other steps, and old records, have none.
  Axes axes = {};
};

struct Report {
  std::vector<StepOutcome> outcomes;  ///< in plan order
  std::chrono::milliseconds elapsed{0};
  int signal = 0;  ///< SIGINT, SIGTERM or SIGHUP if the run was interrupted
};

/// The evidence of a test for people: "ran", "ran in the build's environment"; empty if none.
std::string evidence_text(const StepOutcome& outcome);

/// The documented exit code: 0; the lowest of 1, 5, 6 (then of any other) among the failures; 8 if
/// nothing failed and a step is unfinished; 130 or 143 if interrupted (`kind_of_stop`).
int exit_code(const Report& report);

/// An outcome as one JSON object on one line, without a newline; the journal and reports share it.
/// Bytes that are not UTF-8 are replaced.
std::string outcome_json(const StepOutcome& outcome);

/// The inverse of `outcome_json`; unknown members are ignored. `config` for any other text.
Result<StepOutcome> parse_outcome(std::string_view json);

}  // namespace pinwheel::plan
