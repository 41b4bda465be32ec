#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.h"
#include "cli/commands.h"
#include "host/provision/collect_cache.h"
#include "host/provision/compare_environments.h"
#include "host/provision/disk_use.h"
#include "host/provision/environment_list.h"
#include "prepare/host.h"
#include "prepare/workplace.h"
#include "report/table.h"

namespace pinwheel::cli {
namespace {

std::string age_of(std::chrono::sys_seconds at, std::chrono::system_clock::time_point now) {
  constexpr std::chrono::days kDays(2);
  if (now - at >= kDays) {
    return fmt::format("{}d", std::chrono::floor<std::chrono::days>(now - at).count());
  }
  return format_duration(std::chrono::duration_cast<std::chrono::milliseconds>(now - at));
}

std::string or_dash(const std::string& text) {
  return text.empty() ? "-" : text;
}

host::DiskUses disk_uses(const std::filesystem::path& cache,
                         const std::vector<host::EnvironmentEntry>& entries) {
  std::vector<std::filesystem::path> directories;
  directories.reserve(entries.size());
  for (const host::EnvironmentEntry& entry : entries) directories.push_back(cache / entry.place);
  return host::DiskUses(directories);
}

/// The first of some names, and how many there are beside them.
std::string first_of(const std::vector<std::string>& names) {
  constexpr size_t kShown = 3;
  const size_t shown = std::min(kShown, names.size());
  const std::string text =
      join({names.begin(), names.begin() + static_cast<ptrdiff_t>(shown)}, ", ");
  return shown == names.size() ? text : fmt::format("{} and {} more", text, names.size() - shown);
}

/// Who uses an environment: a line for each project, the last user first.
std::string users_of(const host::EnvironmentEntry& entry) {
  std::vector<std::pair<std::string, std::vector<std::string>>> projects;
  for (const host::CacheUse& use : entry.uses) {
    const auto found = std::find_if(projects.begin(), projects.end(), [&use](const auto& each) {
      return each.first == use.user.project;
    });
    auto& steps = found == projects.end()
                      ? projects.emplace_back(use.user.project, std::vector<std::string>()).second
                      : found->second;
    if (!use.user.step.empty()) steps.push_back(use.user.step);
  }
  std::string text;
  for (const auto& [project, steps] : projects) {
    const char* const between = project.empty() || steps.empty() ? "" : ": ";
    text += fmt::format("  {}{}{}\n", project, between, first_of(steps));
  }
  return text;
}

std::string as_table(const std::vector<host::EnvironmentEntry>& entries, const host::DiskUses& disk,
                     std::chrono::system_clock::time_point now) {
  std::vector<std::vector<std::string>> rows = {
      {"id", "python", "torch", "toolkit", "size", "shared", "used", "state"}};
  for (size_t i = 0; i < entries.size(); ++i) {
    const host::EnvironmentEntry& entry = entries[i];
    const host::DiskUse use = disk.of(i);
    if (entry.completeness == host::Completeness::partial) {
      rows.push_back({entry.id, "", "", "", format_bytes(use.own), "", "", "incomplete"});
      continue;
    }
    rows.push_back({entry.id, or_dash(entry.python), or_dash(entry.torch), or_dash(entry.toolkit),
                    format_bytes(use.own), use.shared == 0 ? "-" : format_bytes(use.shared),
                    age_of(host::last_use(entry), now), "complete"});
  }
  const std::vector<std::string> lines = split(report::align_columns(rows), '\n');
  std::string text = lines.front() + "\n";
  for (size_t i = 0; i < entries.size(); ++i) {
    text += lines.at(i + 1) + "\n" + users_of(entries[i]);
  }
  return text;
}

/// The differences between two builds of an environment.
struct Comparison {
  std::string id;
  std::vector<host::FileDifference> files;
};

/// Whether both have the same packages and the same image, if any. Ids may differ: they include the
/// path of the interpreter.
bool same_environment(const host::EnvironmentEntry& one, const host::EnvironmentEntry& other) {
  return one.completeness == host::Completeness::complete &&
         other.completeness == one.completeness && one.resolution == other.resolution &&
         std::filesystem::path(one.place).parent_path() ==
             std::filesystem::path(other.place).parent_path();
}

/// Compares the environments that are complete in both caches.
Result<std::vector<Comparison>> compare(const prepare::Host& host, const host::EnvMachine& machine,
                                        const std::vector<host::EnvironmentEntry>& entries,
                                        const std::filesystem::path& other) {
  host::EnvMachine there = machine;
  there.cache = host.at(other);
  TRY(const std::vector<host::EnvironmentEntry> theirs, host::list_environments(there));
  std::vector<Comparison> result;
  for (const host::EnvironmentEntry& entry : entries) {
    const auto found = std::find_if(
        theirs.begin(), theirs.end(),
        [&entry](const host::EnvironmentEntry& each) { return same_environment(entry, each); });
    if (found == theirs.end()) continue;
    TRY(std::vector<host::FileDifference> files,
        host::compare_environments({machine.cache, entry.place}, {there.cache, found->place}));
    result.push_back({entry.id, std::move(files)});
  }
  if (!result.empty()) return result;
  return fail(
      ErrorKind::usage,
      fmt::format("{} and this cache have no environment in common", quoted(there.cache.string())),
      "create the environments of one lock in both");
}

std::string as_text(const std::vector<Comparison>& comparisons) {
  std::string text;
  for (const Comparison& each : comparisons) {
    if (each.files.empty()) text += fmt::format("{}: identical files\n", each.id);
    for (const host::FileDifference& file : each.files) {
      text += fmt::format("{}: {}: {}\n", each.id, file.path, host::to_string(file.change));
    }
  }
  return text;
}

std::string as_json(const std::vector<Comparison>& comparisons) {
  nlohmann::json all = nlohmann::json::array();
  for (const Comparison& each : comparisons) {
    nlohmann::json files = nlohmann::json::array();
    for (const host::FileDifference& file : each.files) {
      files.push_back({{"path", file.path}, {"what", host::to_string(file.change)}});
    }
    all.push_back({{"id", each.id}, {"differences", files}});
  }
  return nlohmann::json{{"schema", "pinwheel-environment-differences/1"}, {"environments", all}}
             .dump(2, ' ', false, nlohmann::json::error_handler_t::replace) +
         "\n";
}

Result<int> list_against(const prepare::Host& host, const host::EnvMachine& machine,
                         const EnvOptions& options,
                         const std::vector<host::EnvironmentEntry>& entries, Streams& streams) {
  TRY(const std::vector<Comparison> compared, compare(host, machine, entries, options.against));
  if (options.json) {
    streams.json(as_json(compared));
  } else {
    streams.lines(as_text(compared));
  }
  const auto differs = [](const Comparison& each) { return !each.files.empty(); };
  const auto count = std::count_if(compared.begin(), compared.end(), differs);
  if (count == 0) return 0;
  return fail(ErrorKind::check,
              fmt::format("{} from {}",
                          count == 1 ? "1 environment differs"
                                     : fmt::format("{} environments differ", count),
                          quoted(options.against)));
}

std::string as_time(std::chrono::sys_seconds time) {
  return fmt::format("{:%FT%TZ}", time);
}

std::string as_json(const std::vector<host::EnvironmentEntry>& entries,
                    const host::DiskUses& disk) {
  nlohmann::json all = nlohmann::json::array();
  for (size_t i = 0; i < entries.size(); ++i) {
    const host::EnvironmentEntry& entry = entries[i];
    nlohmann::json users = nlohmann::json::array();
    for (const host::CacheUse& use : entry.uses) {
      users.push_back(
          {{"project", use.user.project}, {"step", use.user.step}, {"at", as_time(use.at)}});
    }
    const host::DiskUse bytes = disk.of(i);
    all.push_back({{"id", entry.id},
                   {"directory", entry.place},
                   {"complete", entry.completeness == host::Completeness::complete},
                   {"python", entry.python},
                   {"torch", entry.torch},
                   {"toolkit", entry.toolkit},
                   {"bytes", bytes.own + bytes.shared},
                   {"own-bytes", bytes.own},
                   {"shared-bytes", bytes.shared},
                   {"made", as_time(entry.made)},
                   {"used", as_time(host::last_use(entry))},
                   {"used-by", std::move(users)}});
  }
  return nlohmann::json{{"schema", "pinwheel-environments/1"},
                        {"total-bytes", disk.total()},
                        {"environments", all}}
             .dump(2, ' ', false, nlohmann::json::error_handler_t::replace) +
         "\n";
}

nlohmann::json as_json(const std::vector<host::CacheEntry>& entries) {
  nlohmann::json all = nlohmann::json::array();
  for (const host::CacheEntry& entry : entries) {
    all.push_back({{"kind", host::to_string(entry.kind)},
                   {"id", entry.id},
                   {"place", entry.place},
                   {"used", as_time(entry.used)}});
  }
  return all;
}

Result<int> collect_unused(const host::EnvMachine& machine, const EnvOptions& options,
                           Streams& streams) {
  const auto older = parse_duration(options.older);
  if (!older) {
    return fail(ErrorKind::usage, fmt::format("--older: {} is not a time", quoted(options.older)),
                "write `12h` or `30d`, at most a century");
  }
  const auto now = std::chrono::floor<std::chrono::seconds>(machine.clock.now());
  const auto before = now - std::chrono::duration_cast<std::chrono::seconds>(*older);
  TRY(const host::CacheCollection found,
      host::collect_cache(machine, before,
                          options.dry_run ? host::Removal::pretended : host::Removal::real));
  if (options.json) {
    streams.json(nlohmann::json{{"schema", "pinwheel-environment-gc/1"},
                                {"dry-run", options.dry_run},
                                {"removed", as_json(found.removed)},
                                {"in-use", as_json(found.in_use)},
                                {"removed-bytes", found.removed_bytes},
                                {"kept-bytes", found.kept_bytes}}
                     .dump(2, ' ', false, nlohmann::json::error_handler_t::replace) +
                 "\n");
    return 0;
  }
  std::string text;
  for (const host::CacheEntry& entry : found.removed) {
    const std::string used =
        entry.partial ? "incomplete" : fmt::format("used {} ago", age_of(entry.used, now));
    text += fmt::format("{} {}: {}\n", host::to_string(entry.kind), entry.id, used);
  }
  for (const host::CacheEntry& entry : found.in_use) {
    text += fmt::format("{} {}: stays, a process uses it\n", host::to_string(entry.kind), entry.id);
  }
  streams.data(text +
               fmt::format("{} {}, {}; {} stay\n", options.dry_run ? "would remove" : "removed",
                           plural(found.removed.size(), "directory"),
                           format_bytes(found.removed_bytes), format_bytes(found.kept_bytes)));
  return 0;
}

Result<int> remove(const host::EnvMachine& machine, const EnvOptions& options, Streams& streams) {
  std::vector<std::string> ids = options.ids;
  if (options.all) {
    TRY(const std::vector<host::EnvironmentEntry> entries, host::list_environments(machine));
    std::set<std::string> names;
    for (const host::EnvironmentEntry& entry : entries) {
      names.insert(std::filesystem::path(entry.place).filename().string());
    }
    ids.assign(names.begin(), names.end());
  } else if (ids.empty()) {
    return fail(ErrorKind::usage, "`env rm` needs an id",
                "`pinwheel env list` lists them; `--all` removes all");
  }
  for (const std::string& id : ids) {
    TRY_DONE(host::remove_environment(machine, id));
    streams.note(fmt::format("removed environment {}\n", quoted(id)));
  }
  return 0;
}

}  // namespace

Result<int> cmd_env(const prepare::Host& host, const prepare::GlobalOptions& global,
                    const EnvOptions& options, Streams& streams) {
  TRY(const std::filesystem::path cache, prepare::cache_directory(host));
  host::Workplace place = prepare::outside_run(host, streams.log());
  place.cache = cache;
  place.state = global.state_dir;
  const prepare::OpenMachine local = host.machine(place);
  if (options.verb == EnvVerb::remove) return remove(*local, options, streams);
  if (options.verb == EnvVerb::gc) return collect_unused(*local, options, streams);
  TRY(const std::vector<host::EnvironmentEntry> entries, host::list_environments(*local));
  if (!options.against.empty()) return list_against(host, *local, options, entries, streams);
  if (entries.empty() && !options.json) streams.note("no environments yet\n");
  const host::DiskUses disk = disk_uses(cache, entries);
  if (options.json) {
    streams.json(as_json(entries, disk));
  } else if (!entries.empty()) {
    streams.lines(as_table(entries, disk, local->clock.now()));
    streams.note(fmt::format(
        "{} in all; `pinwheel env gc` removes entries that were not used for some time\n",
        format_bytes(disk.total())));
  }
  return 0;
}

}  // namespace pinwheel::cli
