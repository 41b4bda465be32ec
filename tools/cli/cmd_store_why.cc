#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/store_place.h"
#include "cli/store_question.h"
#include "host/run/journal_file.h"
#include "host/store/tree_inventory.h"
#include "plan/known_results.h"
#include "plan/store_answer.h"
#include "plan/subplan.h"
#include "prepare/earlier_results.h"
#include "prepare/host.h"
#include "prepare/load.h"
#include "report/store_why.h"
#include "store/place_description.h"

namespace pinwheel::cli {
namespace {

namespace fs = std::filesystem;

/// The one argument that is not a matrix.
Result<std::string> requested_step(const std::vector<std::string>& arguments) {
  std::vector<std::string> steps;
  std::copy_if(arguments.begin(), arguments.end(), std::back_inserter(steps),
               [](const std::string& argument) { return !prepare::is_matrix_name(argument); });
  if (steps.size() != 1) {
    return fail(ErrorKind::usage, "`store why` takes one step",
                "`build:CLASS`, `test:VARIANT` or `sdist`, as reports name them");
  }
  return steps.front();
}

/// Checks that a step of the plan is stored; `usage` for one whose results are not shared.
Done check_is_stored(const plan::Plan& part, const std::string& step) {
  for (const plan::Step& each : part.steps) {
    if (each.id == step && plan::is_shareable(each)) return {};
  }
  return fail(ErrorKind::usage, fmt::format("stores have no results of {}", quoted(step)),
              "stores share results of builds, tests and the sdist");
}

/// The results of earlier runs here for the needs of this step.
Result<plan::Results> local_results(ports::Files& files, const prepare::GlobalOptions& global,
                                    const SearchedRun& searched, const std::string& step) {
  if (files.resolved_type(global.state_dir) == ports::FileType::missing) return plan::Results{};
  TRY(const run::History history, host::read_journal(global.state_dir, searched.domain));
  plan::Results results = prepare::find_results(searched.run.plan, history);
  std::erase_if(results, [&step](const auto& each) { return each.first.first == step; });
  return results;
}

plan::StoreReply reply_of(plan::StoreQuestion question, const host::SearchedResults& known,
                          const fs::path& root) {
  if (const auto taken = known.found.find(question.step); taken != known.found.end()) {
    return plan::taken_reply(std::move(question), taken->second);
  }
  std::vector<store::Entry> stored;
  for (host::TreeEntry& one : host::read_entries(root)) stored.push_back(std::move(one.entry));
  return plan::missing_reply(std::move(question), stored);
}

}  // namespace

Result<int> cmd_store_why(const prepare::Host& host, const prepare::GlobalOptions& all,
                          const StoreCommandOptions& options, Streams& streams) {
  TRY(const OwnPlace place, open_own_place(host, options, PlaceUse::reading));
  const fs::path& root = place.root;
  TRY(const std::string step, requested_step(options.arguments));
  prepare::GlobalOptions global = all;
  global.named_files = {options.plan_file, root.string()};
  StoreCommandOptions rest = options;
  std::erase(rest.arguments, step);
  TRY(SearchedRun searched, read_searched_run(host, global, rest, step, streams));
  TRY(searched.run.plan, plan::subplan(searched.run.plan, {step}));
  TRY_DONE(check_is_stored(searched.run.plan, step));
  TRY(plan::Results here, local_results(host.files, global, searched, step));
  const host::SearchedResults known =
      ask_place(searched, root, options, std::move(here), {}, streams);
  const plan::StoreReply reply =
      reply_of({step, plan::partial_key(searched.run.plan, known.results, step), searched.domain,
                searched.facts.packages[step]},
               known, root);
  if (options.json) {
    streams.json(report::store_why_json(reply, options.place));
  } else {
    streams.lines(report::store_why_text(reply, options.place));
  }
  return 0;
}

}  // namespace pinwheel::cli
