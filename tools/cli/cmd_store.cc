#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/text.h"
#include "base/throttle.h"
#include "cli/commands.h"
#include "cli/store_place.h"
#include "host/store/tree_inventory.h"
#include "prepare/host.h"
#include "report/table.h"
#include "store/domain.h"

namespace pinwheel::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

Result<int> stat(const prepare::Host& host, const StoreCommandOptions& options, Streams& streams) {
  TRY(const OwnPlace place, open_own_place(host, options, PlaceUse::reading));
  const store::Inventory inventory = host::take_inventory(place.root);
  uint64_t bytes = 0;
  for (const store::InventoryBlob& blob : inventory.blobs) bytes += blob.blob.size;
  // An entry has an address for its key, and may have one for its step of a plan.
  std::map<std::string, std::set<std::string>> keys;
  for (const host::TreeEntry& one : host::read_entries(place.root)) {
    // A checkpoint is no result.
    if (one.entry.ending == store::Ending::unfinished) continue;
    keys[std::string(store::to_string(one.entry.writer.domain))].insert(one.entry.key);
  }
  Json domains = Json::object();
  std::vector<std::vector<std::string>> rows = {{"domain", "results"}};
  for (const auto& [domain, of_domain] : keys) {
    domains[domain] = of_domain.size();
    rows.push_back({domain, std::to_string(of_domain.size())});
  }
  print_of_store(options,
                 {{"schema", "pinwheel-store/1"},
                  {"path", place.root.string()},
                  {"results", domains},
                  {"blobs", inventory.blobs.size()},
                  {"bytes", bytes},
                  {"runs", inventory.runs.size()}},
                 report::align_columns(rows, streams.data_columns()) +
                     fmt::format("{}, {} in {}\n", plural(inventory.blobs.size(), "blob"),
                                 format_bytes(bytes), quoted(place.root.string())),
                 streams);
  return 0;
}

Result<int> gc(const prepare::Host& host, const StoreCommandOptions& options, Streams& streams) {
  TRY(const OwnPlace place, open_own_place(host, options, PlaceUse::changing));
  const std::optional<uint64_t> size = parse_bytes(options.size);
  if (!size) {
    return fail(ErrorKind::usage, fmt::format("--size: {} is not a size", quoted(options.size)),
                "write `20 GB`");
  }
  const auto grace = parse_duration(options.grace);
  if (!grace) {
    return fail(ErrorKind::usage, fmt::format("--grace: {} is not a time", quoted(options.grace)),
                "write `12h` or `1d`, at most a century");
  }
  const store::CollectOptions limits = {static_cast<size_t>(options.releases), *size,
                                        std::chrono::duration_cast<std::chrono::seconds>(*grace),
                                        host.clock.now()};
  TRY(const store::Collection removed,
      host::collect_tree(place.root, limits, options.dry_run ? host::DryRun::yes : host::DryRun::no,
                         [&streams](const std::string& line) { streams.note(line); }));
  print_of_store(
      options,
      {{"schema", "pinwheel-store-gc/1"},
       {"path", place.root.string()},
       {"dry-run", options.dry_run},
       {"removed-results", removed.entries.size()},
       {"removed-blobs", removed.blobs.size()},
       {"removed-bytes", removed.removed_bytes},
       {"kept-bytes", removed.retained_bytes}},
      fmt::format("{} {} and {}, {}; {} stay\n", options.dry_run ? "would remove" : "removed",
                  plural(removed.entries.size(), "result"), plural(removed.blobs.size(), "blob"),
                  format_bytes(removed.removed_bytes), format_bytes(removed.retained_bytes)),
      streams);
  return 0;
}

Result<int> verify(const prepare::Host& host, const StoreCommandOptions& options,
                   Streams& streams) {
  TRY(const OwnPlace place, open_own_place(host, options, PlaceUse::reading));
  // The machine's own place is created with its first entry.
  const bool may_lack = place.sharing == host::Sharing::machine;
  if (host.files.resolved_type(place.root) != ports::FileType::directory &&
      (host.files.resolved_type(place.root) != ports::FileType::missing || !may_lack)) {
    return fail(ErrorKind::usage, fmt::format("{} is not a directory", quoted(place.root.string())),
                "name one that `--store dir:PATH` wrote to");
  }
  Throttle throttle;
  const std::vector<std::string> wrong =
      host::verify_tree(place.root, [&streams, &throttle](const host::VerifyProgress& now) {
        if (!throttle.passes()) return;
        streams.note(fmt::format("{} of {} verified, {}\n", now.files, plural(now.all, "file"),
                                 format_bytes(now.bytes)));
      });
  std::string text;
  for (const std::string& line : wrong) text += line + "\n";
  print_of_store(
      options,
      {{"schema", "pinwheel-store-verify/1"}, {"path", place.root.string()}, {"damaged", wrong}},
      text, streams);
  if (wrong.empty()) return 0;
  return fail(
      ErrorKind::check,
      fmt::format("{} damaged in {}",
                  wrong.size() == 1 ? "1 entry is" : fmt::format("{} entries are", wrong.size()),
                  quoted(place.root.string())),
      "no run uses them, and the next that needs one replaces it");
}

Result<int> import_results(const prepare::Host& host, const StoreCommandOptions& options,
                           Streams& streams) {
  TRY(const OwnPlace place, open_own_place(host, options, PlaceUse::changing));
  TRY(const store::Domain domain, store::choose_domain(options.domain, host.variables));
  if (host.files.resolved_type(fs::path(options.directory) / "ac") != ports::FileType::directory) {
    return fail(ErrorKind::usage, fmt::format("{} has no results", quoted(options.directory)),
                "`pinwheel store export --plan FILE DIR` writes such a directory");
  }
  host::TreePlace to = place_at(host.variables, place, options.place, domain, streams);
  // Entries that claim a more trusted domain may come from anybody.
  TRY(const host::CopiedEntries copied,
      host::copy_entries(options.directory, to, [domain](const store::Entry& entry) {
        return store::may_read(entry.writer.domain, domain);
      }));
  print_of_store(options,
                 {{"schema", "pinwheel-store-copy/1"},
                  {"copied", copied.copied},
                  {"there-already", copied.there_already},
                  {"left-out", copied.left_out},
                  {"damaged", copied.damaged}},
                 fmt::format("{} copied, {} there already, {} left out\n", copied.copied,
                             copied.there_already, copied.left_out),
                 streams);
  if (copied.damaged.empty()) return 0;
  const std::vector<std::string> steps(copied.damaged.begin(), copied.damaged.end());
  return fail(ErrorKind::check,
              fmt::format("{} {} damaged or missing files in {}", quoted_list(steps),
                          steps.size() == 1 ? "has" : "have", quoted(options.directory)),
              fmt::format("everything else was copied; {} names the files",
                          quoted("pinwheel store verify --store dir:" + options.directory)));
}

}  // namespace

Result<int> cmd_store(const prepare::Host& host, const prepare::GlobalOptions& global,
                      const StoreCommandOptions& options, Streams& streams) {
  switch (options.verb) {
    case StoreVerb::stat:
      return stat(host, options, streams);
    case StoreVerb::gc:
      return gc(host, options, streams);
    case StoreVerb::verify:
      return verify(host, options, streams);
    case StoreVerb::why:
      return cmd_store_why(host, global, options, streams);
    case StoreVerb::export_results:
      return cmd_store_export(host, global, options, streams);
    case StoreVerb::import_results:
      return import_results(host, options, streams);
  }
  return 0;
}

}  // namespace pinwheel::cli
