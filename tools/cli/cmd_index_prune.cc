#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/index_place.h"
#include "host/index/index_directory.h"
#include "pep/name.h"
#include "prepare/host.h"
#include "publish/lock_versions.h"
#include "publish/prune.h"
#include "report/table.h"

namespace pinwheel::cli {
namespace {

namespace fs = std::filesystem;
using publish::PruneVerdict;

/// The versions that a lock names, with those of the requirements files that it includes.
Result<std::vector<publish::LockedVersion>> read_lock_versions(const prepare::Host& host,
                                                               const std::string& lock) {
  std::vector<publish::LockedVersion> found;
  std::vector<fs::path> open = {(host.directory / lock).lexically_normal()};
  std::set<fs::path> seen(open.begin(), open.end());
  while (!open.empty()) {
    const fs::path file = open.back();
    open.pop_back();
    TRY(const std::string text, host.files.read(file, limits::kLock));
    TRY(const publish::LockVersions versions, publish::parse_lock_versions(text, file.string()));
    for (const publish::PinnedVersion& pinned : versions.versions) found.push_back({pinned, lock});
    for (const std::string& include : versions.includes) {
      const fs::path included = (file.parent_path() / include).lexically_normal();
      if (seen.insert(included).second) open.push_back(included);
    }
  }
  if (!found.empty()) return found;
  return fail(ErrorKind::usage, fmt::format("--lock: {} names no version", quoted(lock)),
              "name a `uv.lock`, a `pylock.toml` or a requirements file with `==`");
}

Result<publish::PruneRules> prune_rules(const prepare::Host& host,
                                        const IndexPruneOptions& options) {
  publish::PruneRules rules;
  if (options.keep.empty() && options.keep_last == 0) {
    return fail(ErrorKind::usage, "`index prune` needs `--keep`, `--keep-last` or both",
                "such as `--keep 30d --keep-last 60`");
  }
  if (!options.keep.empty()) {
    rules.keep = parse_duration(options.keep);
    if (!rules.keep) {
      return fail(ErrorKind::usage, fmt::format("--keep: {} is not a time", quoted(options.keep)),
                  "write `30d`, at most a century");
    }
  }
  if (options.keep_last != 0) rules.keep_last = options.keep_last;
  if (options.releases) rules.scope = publish::PruneScope::all_versions;
  rules.project = pep::normalize_name(options.project);
  for (const std::string& lock : options.locks) {
    TRY(std::vector<publish::LockedVersion> locked, read_lock_versions(host, lock));
    rules.locked.insert(rules.locked.end(), locked.begin(), locked.end());
  }
  return rules;
}

/// The versions to remove, or those that stay, with their files.
struct PruneTotal {
  size_t versions = 0;
  size_t files = 0;
  uint64_t bytes = 0;
};

/// The sums of what is removed and of what stays.
std::pair<PruneTotal, PruneTotal> totals_of(const std::vector<publish::PrunedVersion>& versions) {
  std::pair<PruneTotal, PruneTotal> totals;
  for (const publish::PrunedVersion& version : versions) {
    PruneTotal& total = version.verdict == PruneVerdict::removed ? totals.first : totals.second;
    ++total.versions;
    total.files += version.files;
    total.bytes += version.bytes;
  }
  return totals;
}

std::string uploaded_text(const publish::PrunedVersion& version) {
  return version.uploaded ? publish::to_upload_time(*version.uploaded) : std::string();
}

std::string prune_json(const IndexPruneOptions& options, const publish::PruneRules& rules,
                       const std::vector<publish::PrunedVersion>& versions) {
  nlohmann::json list = nlohmann::json::array();
  for (const publish::PrunedVersion& version : versions) {
    list.push_back({{"project", version.project},
                    {"version", pep::to_string(version.version)},
                    {"files", version.files},
                    {"bytes", version.bytes},
                    {"uploaded", uploaded_text(version)},
                    {"yanked", version.yanked},
                    {"verdict", publish::to_string(version.verdict)},
                    {"reason", publish::prune_reason(version, rules, options.keep)}});
  }
  const auto as_json = [](const PruneTotal& total) {
    return nlohmann::json{
        {"versions", total.versions}, {"files", total.files}, {"bytes", total.bytes}};
  };
  const auto [removed, kept] = totals_of(versions);
  return nlohmann::json{{"schema", "pinwheel-index-prune/1"},
                        {"index", options.index},
                        {"executed", options.execute},
                        {"removed", as_json(removed)},
                        {"kept", as_json(kept)},
                        {"versions", list}}
             .dump(2, ' ', false, nlohmann::json::error_handler_t::replace) +
         "\n";
}

std::string prune_table(const IndexPruneOptions& options, const publish::PruneRules& rules,
                        const std::vector<publish::PrunedVersion>& versions, size_t columns) {
  std::vector<std::vector<std::string>> rows = {
      {"project", "version", "files", "size", "uploaded", "", "reason"}};
  for (const publish::PrunedVersion& version : versions) {
    rows.push_back({version.project, pep::to_string(version.version), std::to_string(version.files),
                    format_bytes(version.bytes), uploaded_text(version).substr(0, 10),
                    version.verdict == PruneVerdict::removed ? "remove" : "keep",
                    publish::prune_reason(version, rules, options.keep)});
  }
  const auto [removed, kept] = totals_of(versions);
  return report::align_columns(rows, columns) +
         fmt::format("{} {} ({}, {}); {} and {} stay\n",
                     options.execute ? "removed" : "would remove",
                     plural(removed.versions, "version"), plural(removed.files, "file"),
                     format_bytes(removed.bytes), plural(kept.versions, "version"),
                     format_bytes(kept.bytes));
}

/// Removes the versions with `--execute`, else only decides.
Result<publish::Pruning> prune(const prepare::Host& host, const IndexPruneOptions& options,
                               const publish::PruneRules& rules, Streams& streams) {
  if (host::is_bucket(options.index)) {
    TRY(host::BucketIndex index, open_bucket(host, options.index, streams));
    if (options.execute) return index.prune(rules, host.clock);
    TRY(publish::Catalog catalog, index.read());
    return publish::prune(std::move(catalog), rules, host.clock.now());
  }
  const fs::path index = host.directory / options.index;
  if (options.execute) return host::prune_directory(index, rules, host.files, host.clock);
  TRY(publish::Catalog catalog, host::read_directory(index, host.files));
  return publish::prune(std::move(catalog), rules, host.clock.now());
}

}  // namespace

Result<int> cmd_index_prune(const prepare::Host& host, const prepare::GlobalOptions& /*global*/,
                            const IndexPruneOptions& options, Streams& streams) {
  TRY(const publish::PruneRules rules, prune_rules(host, options));
  TRY(const publish::Pruning pruning, prune(host, options, rules, streams));
  const std::vector<publish::PrunedVersion>& versions = pruning.versions;
  if (options.json) {
    streams.json(prune_json(options, rules, versions));
  } else {
    streams.data(prune_table(options, rules, versions, streams.data_columns()));
  }
  if (!options.execute) {
    streams.note("dry run: nothing was removed; `--execute` removes the versions\n");
  }
  return 0;
}

}  // namespace pinwheel::cli
