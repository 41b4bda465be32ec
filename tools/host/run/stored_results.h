#pragma once
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "host/store/store.h"
#include "plan/known_results.h"
#include "plan/outcome.h"
#include "plan/reuse.h"
#include "plan/step.h"
#include "ports/clock.h"
#include "ports/log.h"
#include "run/runner.h"
#include "store/entry.h"

namespace pinwheel::host {

/// What a stored result says of its run, beside the outcome of the step.
struct ResultFacts {
  std::string plan = {};  ///< sha256 of the file of the frozen plan; empty without one
  /// Step id -> the exact Python that it uses, "3.12.7"; not of a step that uses none.
  std::map<std::string, std::string> pythons = {};
  /// Step id -> the packages of its environment; not of a step that has none.
  std::map<std::string, store::InstalledPackages> packages = {};
  store::Writer writer = {};
};

/// Why a stored result cannot stand for a step here, one text for each reason; empty: it can. One
/// with the step's own key differs in nothing else. Pure.
std::vector<std::string> objections(const plan::OpenStep& open, const store::Entry& found,
                                    const ResultFacts& facts);

/// Whether the files of results are wanted, or only what the store has.
enum class ResultFiles { fetch, leave };

/// What is looked for in a store, and where its files go.
struct ResultSearch {
  Store& store;
  const plan::Plan& plan;
  const ResultFacts& facts;
  std::filesystem::path output = {};
  ResultFiles files = ResultFiles::fetch;
  /// Steps that no result shall stand for.
  std::set<std::string> left_out = {};
  /// The steps that only have to be over: the result of a test that was skipped is enough.
  std::set<std::string> skipped_will_do = {};
  ports::LogHandle log = ports::no_log();
};

struct SearchedResults {
  plan::Results results;
  std::map<std::string, store::Entry> found = {};  ///< in the store, by step id
  std::vector<Error> warnings = {};
};

/// `results`, and those that the store has of the plan's other steps that travel: by their keys,
/// else, with a frozen plan, as what another machine made of its step. Their files are in the
/// output directory, verified, unless they are left. What is not found whole is not found.
SearchedResults search_store(plan::Results results, const ResultSearch& search);

/// Keeps results that this run reuses where the store does not have them: those of earlier runs
/// here, and those that were found by their keys, for the other jobs of the frozen plan.
void keep_reused(const plan::Plan& plan, const SearchedResults& known, const ResultFacts& facts,
                 const ports::Clock& clock, Store& store);

/// Records in a journal, and then keeps in a store what may be used elsewhere.
class KeepingRecorder final : public run::Recorder {
 public:
  KeepingRecorder(run::Recorder& journal, Store& store, const plan::Plan& plan,
                  const ResultFacts& facts, const ports::Clock& clock)
      : journal_(journal), store_(store), plan_(plan), facts_(facts), clock_(clock) {}

  Done started(const run::Attempt& attempt) override;
  Done finished(const plan::StepOutcome& outcome) override;

 private:
  run::Recorder& journal_;
  Store& store_;
  const plan::Plan& plan_;
  const ResultFacts& facts_;
  const ports::Clock& clock_;
};

}  // namespace pinwheel::host
