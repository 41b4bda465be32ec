#include <fmt/chrono.h>
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/gather.h"
#include "host/environment_list.h"
#include "host/local_machine.h"
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
                "`pinwheel env list` shows them; `--all` removes every one");
  }
  for (const std::string& id : ids) {
    TRY_DONE(host::remove_environment(machine, id));
    streams.note(fmt::format("removed environment `{}`\n", id));
  }
  return 0;
}

}  // namespace

Result<int> cmd_env(const GlobalOptions& global, const EnvOptions& options, Streams& streams) {
  const std::map<std::string, std::string> variables = user_variables();
  TRY(const std::filesystem::path cache, cache_directory(variables));
  const host::LocalMachine local(variables, cache, global.state_dir);
  if (options.verb == EnvVerb::remove) return remove(local.machine, options, streams);
  TRY(const std::vector<host::EnvironmentEntry> entries, host::list_environments(local.machine));
  if (entries.empty() && !options.json) streams.note("no environments yet\n");
  if (options.json || !entries.empty()) {
    streams.data(options.json ? as_json(entries) : as_table(entries, local.clock.now()));
  }
  return 0;
}

}  // namespace pinwheel::cli
