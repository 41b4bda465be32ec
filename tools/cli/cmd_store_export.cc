#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/store_place.h"
#include "cli/store_question.h"
#include "host/machine/ignored_directory.h"
#include "plan/known_results.h"
#include "plan/step_id.h"
#include "prepare/host.h"
#include "store/address.h"

namespace pinwheel::cli {
namespace {

namespace fs = std::filesystem;

/// The steps of a plan whose results are shared through stores, except those that compile device
/// code: the wheels contain it.
std::set<std::string> stored_steps(const plan::Plan& plan) {
  std::set<std::string> steps;
  for (const plan::Step& step : plan.steps) {
    const bool device_code = plan::compiles_device_code(step.id);
    if (plan::is_shareable(step) && !device_code) steps.insert(step.id);
  }
  return steps;
}

/// The outcome of an export: which results of a plan were copied.
struct Exported {
  size_t copied = 0;
  size_t there_already = 0;
  std::vector<std::string> missing = {};  ///< ids of steps
};

/// Copies the entry of one step under two addresses: its key, and its step of the plan, which a
/// machine without the same compiler looks up.
Result<host::PutOutcome> copy_entry(const store::Entry& found, const std::string& plan,
                                    const fs::path& from, host::TreePlace& to) {
  host::BlobFiles files;
  for (const store::NamedBlob& output : found.outputs) {
    files[output.blob] = from / "cas" / output.blob.sha256;
  }
  store::Entry entry = found;
  entry.plan = plan;
  const store::Domain domain = entry.writer.domain;
  const host::PlaceResult<host::PutOutcome> put = to.put(
      {store::entry_address(domain, entry.key), store::hand_off_address(domain, plan, entry.step)},
      entry, files);
  if (!put) return fail(put.error().error);
  return *put;
}

Result<Exported> copy_all(const SearchedRun& searched, const host::SearchedResults& known,
                          const fs::path& from, host::TreePlace& to) {
  Exported out;
  for (const std::string& step : stored_steps(searched.run.plan)) {
    const auto found = known.found.find(step);
    if (found == known.found.end()) {
      out.missing.push_back(step);
      continue;
    }
    TRY(const host::PutOutcome put, copy_entry(found->second, searched.facts.plan, from, to));
    ++(put == host::PutOutcome::written ? out.copied : out.there_already);
  }
  return out;
}

}  // namespace

Result<int> cmd_store_export(const prepare::Host& host, const prepare::GlobalOptions& all,
                             const StoreCommandOptions& options, Streams& streams) {
  TRY(const OwnPlace place, open_own_place(host, options, PlaceUse::reading));
  const fs::path& root = place.root;
  prepare::GlobalOptions global = all;
  global.named_files = {options.plan_file, options.directory, root.string()};
  TRY(const SearchedRun searched, read_searched_run(host, global, options, {}, streams));
  const host::SearchedResults known =
      ask_place(searched, root, options, {}, stored_steps(searched.run.plan), streams);
  if (known.found.empty()) {
    return fail(
        ErrorKind::check,
        fmt::format("{} has no result of {}", quoted(root.string()), quoted(options.plan_file)),
        "run its steps with `--store local`; `pinwheel store why STEP --plan FILE` prints the "
        "differences");
  }
  // In a checkout it is not part of the source, like the directories of runs.
  TRY_DONE(host::make_output_directory(host.files, options.directory));
  host::TreePlace to = place_at(host.variables, {options.directory, host::Sharing::shared},
                                "dir:" + options.directory, searched.domain, streams);
  TRY(const Exported done, copy_all(searched, known, root, to));
  if (!done.missing.empty()) {
    streams.note(fmt::format("{} {} no result in {}\n", quoted_list(done.missing),
                             done.missing.size() == 1 ? "has" : "have", quoted(root.string())));
  }
  print_of_store(options,
                 {{"schema", "pinwheel-store-export/1"},
                  {"copied", done.copied},
                  {"there-already", done.there_already},
                  {"missing", done.missing}},
                 fmt::format("{} copied, {} there already, {} missing\n", done.copied,
                             done.there_already, done.missing.size()),
                 streams);
  return 0;
}

}  // namespace pinwheel::cli
