#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "host/machine/workplace.h"
#include "host/run/stored_results.h"
#include "host/store/store.h"
#include "plan/origin.h"
#include "plan/reuse.h"
#include "plan/step.h"

namespace pinwheel::session {

/// The file name of a failed run's report, beside its logs.
inline constexpr const char* kReportName = "report.json";

/// The input of a run, decided before any action.
struct RunRequest {
  plan::Plan plan;
  host::Workplace workplace;
  /// "release matrix.yaml --target index", quoted, for the command that repeats a step.
  std::string program_arguments;
  /// The origin of the run; called when its report is written.
  std::function<Result<plan::RunOrigin>()> origin = {};
  plan::Results results = {};               ///< existing results in addition to the journal's
  std::shared_ptr<host::Store> store = {};  ///< may be null: none
  std::stop_source stop_store = {};         ///< ends the transfers of the store
  host::ResultFacts facts = {};
  std::set<std::string> repeated = {};  ///< ids of steps that no stored result stands for
  /// Set for a run that only reuses: the steps that it may carry out.
  std::optional<std::set<std::string>> requested = {};
  /// For a release that only reuses: tests for which workflows have no runner.
  std::vector<std::string> unplaced = {};
  /// Set for a gate: the publications that everything must be there for; of tests, those that they
  /// must have enough evidence for.
  std::optional<std::vector<plan::Step>> gate = {};
  std::string gate_holds = {};  ///< what is said then
};

}  // namespace pinwheel::session
