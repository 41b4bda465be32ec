#pragma once
#include <filesystem>
#include <set>
#include <string>

#include "base/result.h"
#include "cli/options.h"
#include "cli/streams.h"
#include "host/run/stored_results.h"
#include "prepare/host.h"
#include "prepare/prepare_run.h"
#include "store/domain.h"

namespace pinwheel::cli {

/// A run whose results are looked for in a place: what it would do, and what it says of itself.
/// Nothing is made and no index is asked for it.
struct SearchedRun {
  prepare::PreparedRun run;
  host::ResultFacts facts;
  store::Domain domain = store::Domain::branch;
};

/// A run of the frozen plan of `--plan`; without, what a run of this checkout would be, with the
/// packages that earlier runs resolved here. `step`: all that is needed of it; empty: everything.
/// `usage` for a step that there is not, `drift` if the checkout is not that of the plan.
Result<SearchedRun> read_searched_run(const prepare::Host& host,
                                      const prepare::GlobalOptions& global,
                                      const StoreCommandOptions& options, const std::string& step,
                                      Streams& streams);

/// What the place at `root` has for the steps of a run, without their files; its faults are
/// warnings. `results`: those that are here.
host::SearchedResults ask_place(const SearchedRun& searched, const std::filesystem::path& root,
                                const StoreCommandOptions& options, plan::Results results,
                                const std::set<std::string>& skipped_will_do, Streams& streams);

}  // namespace pinwheel::cli
