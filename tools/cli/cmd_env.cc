#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/workplace.h"
#include "host/machine/local_machine.h"
#include "host/provision/compare_environments.h"
#include "host/provision/environment_list.h"
#include "report/plan_text.h"

namespace pinwheel::cli {
namespace {

std::string age_of(std::chrono::sys_seconds made, std::chrono::system_clock::time_point now) {
  return format_duration(std::chrono::duration_cast<std::chrono::milliseconds>(now - made));
}

std::string or_dash(const std::string& text) {
  return text.empty() ? "-" : text;
}

std::string as_table(const std::vector<host::EnvironmentEntry>& entries,
                     std::chrono::system_clock::time_point now) {
  std::vector<std::vector<std::string>> rows = {
      {"id", "python", "torch", "toolkit", "size", "age", "state"}};
  for (const host::EnvironmentEntry& entry : entries) {
    if (entry.completeness == host::Completeness::partial) {
      rows.push_back({entry.id, "", "", "", "", "", "incomplete"});
      continue;
    }
    rows.push_back({entry.id, or_dash(entry.python), or_dash(entry.torch), or_dash(entry.toolkit),
                    format_bytes(entry.bytes), age_of(entry.made, now), "complete"});
  }
  return report::align_columns(rows);
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
Result<std::vector<Comparison>> compare(const host::EnvMachine& machine,
                                        const std::vector<host::EnvironmentEntry>& entries,
                                        const std::filesystem::path& other) {
  host::EnvMachine there = machine;
  there.cache = std::filesystem::absolute(other).lexically_normal();
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

Result<int> list_against(const host::EnvMachine& machine, const EnvOptions& options,
                         const std::vector<host::EnvironmentEntry>& entries, Streams& streams) {
  TRY(const std::vector<Comparison> compared, compare(machine, entries, options.against));
  if (options.json) {
    streams.json(as_json(compared));
  } else {
    streams.data(as_text(compared));
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

std::string as_json(const std::vector<host::EnvironmentEntry>& entries) {
  nlohmann::json all = nlohmann::json::array();
  for (const host::EnvironmentEntry& entry : entries) {
    all.push_back({{"id", entry.id},
                   {"complete", entry.completeness == host::Completeness::complete},
                   {"python", entry.python},
                   {"torch", entry.torch},
                   {"toolkit", entry.toolkit},
                   {"bytes", entry.bytes},
                   {"made", fmt::format("{:%FT%TZ}", entry.made)}});
  }
  return nlohmann::json{{"schema", "pinwheel-environments/1"}, {"environments", all}}.dump(2) +
         "\n";
}

Result<int> remove(const host::EnvMachine& machine, const EnvOptions& options, Streams& streams) {
  std::vector<std::string> ids = options.ids;
  if (options.all) {
    TRY(const std::vector<host::EnvironmentEntry> entries, host::list_environments(machine));
    for (const host::EnvironmentEntry& entry : entries) ids.push_back(entry.id);
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

Result<int> cmd_env(const GlobalOptions& global, const EnvOptions& options, Streams& streams) {
  const std::map<std::string, std::string> variables = user_variables();
  TRY(const std::filesystem::path cache, cache_directory(variables));
  const host::LocalMachine local(variables, cache, global.state_dir, {}, streams.log());
  if (options.verb == EnvVerb::remove) return remove(local.machine, options, streams);
  TRY(const std::vector<host::EnvironmentEntry> entries, host::list_environments(local.machine));
  if (!options.against.empty()) return list_against(local.machine, options, entries, streams);
  if (entries.empty() && !options.json) streams.note("no environments yet\n");
  if (options.json || !entries.empty()) {
    if (options.json) {
      streams.json(as_json(entries));
    } else {
      streams.data(as_table(entries, local.clock.now()));
    }
  }
  return 0;
}

}  // namespace pinwheel::cli
