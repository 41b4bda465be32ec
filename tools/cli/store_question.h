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

/// A run whose results are searched in a place: its plan and the facts of its results. Nothing is
/// made and no index is queried for it.
struct SearchedRun {
  prepare::PreparedRun run;
  host::ResultFacts facts;
  store::Domain domain = store::Domain::branch;
};

/// The run of the frozen plan of `--plan`; without it, a run of this checkout, with the packages
/// that earlier runs resolved here. `step`: that step and its needs; empty: everything. `usage` for
/// an unknown step, `drift` if the checkout is not that of the plan.
Result<SearchedRun> read_searched_run(const prepare::Host& host,
                                      const prepare::GlobalOptions& global,
                                      const StoreCommandOptions& options, const std::string& step,
                                      Streams& streams);

/// The results in the place at `root` for the steps of a run, without their files. Its faults are
/// warnings. `results`: those in the state directory.
host::SearchedResults ask_place(const SearchedRun& searched, const std::filesystem::path& root,
                                const StoreCommandOptions& options, plan::Results results,
                                const std::set<std::string>& skipped_will_do, Streams& streams);

}  // namespace pinwheel::cli
