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
#include "run/attempt.h"
#include "store/entry.h"

namespace pinwheel::host {

/// The facts about its run in a stored result, besides the outcome of the step.
struct ResultFacts {
  std::string plan = {};  ///< sha256 of the file of the frozen plan; empty without one
  /// Step id -> the exact Python that it uses, "3.12.7"; not of a step that uses none.
  std::map<std::string, std::string> pythons = {};
  /// Step id -> the packages of its environment; not of a step that has none.
  std::map<std::string, store::InstalledPackages> packages = {};
  store::Writer writer = {};
};

/// Why a stored result is not usable for a step here, one text for each reason; empty: it is. A
/// result with the step's own key differs in nothing else. Pure.
std::vector<std::string> objections(const plan::SearchableStep& open, const store::Entry& found,
                                    const ResultFacts& facts);

/// Whether to fetch the files of results, or only to look the results up.
enum class ResultFiles { fetch, leave };

/// The lookup in a store, and the destination of its files.
struct ResultSearch {
  Store& store;
  const plan::Plan& plan;
  const ResultFacts& facts;
  std::filesystem::path output = {};
  ResultFiles files = ResultFiles::fetch;
  /// Steps for which no result may be used.
  std::set<std::string> left_out = {};
  /// The steps that only need to be over: the result of a skipped test is enough.
  std::set<std::string> skipped_will_do = {};
  ports::LogHandle log = ports::no_log();
};

struct SearchedResults {
  plan::Results results;
  std::map<std::string, store::Entry> found = {};  ///< in the store, by step id
  std::vector<Error> warnings = {};
};

/// `results`, and the store's results of the plan's other shareable steps: by their keys, else,
/// with a frozen plan, the result of another machine for the step. Their files are in the output
/// directory, verified, unless they are skipped. A result without all of its files counts as
/// missing.
SearchedResults search_store(plan::Results results, const ResultSearch& search);

/// Stores results that this run reuses if the store does not have them: those of earlier runs here,
/// and those that were found by their keys, for the other jobs of the frozen plan.
void store_reused(const plan::Plan& plan, const SearchedResults& known, const ResultFacts& facts,
                  const ports::Clock& clock, Store& store);

/// Records in a journal, and then stores results that can be used elsewhere.
class StoringRecorder final : public run::Recorder {
 public:
  StoringRecorder(run::Recorder& journal, Store& store, const plan::Plan& plan,
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
