#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <variant>

#include "base/text.h"
#include "cli/commands.h"
#include "conda/export.h"
#include "host/provision/collect_cache.h"
#include "host/provision/compare_environments.h"
#include "host/provision/env_resolve.h"
#include "host/provision/environment_list.h"
#include "host/run/journal_file.h"
#include "plan/step_id.h"
#include "prepare/earlier_results.h"
#include "prepare/host.h"
#include "prepare/locks.h"
#include "prepare/read_scope.h"
#include "prepare/run_forecast.h"
#include "prepare/workplace.h"
#include "report/table.h"
#include "session/enter_step.h"
#include "store/domain.h"

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

/// The first few of some names, and the number of the others.
std::string first_of(const std::vector<std::string>& names) {
  constexpr size_t kShown = 3;
  const size_t shown = std::min(kShown, names.size());
  const std::string text =
      join({names.begin(), names.begin() + static_cast<ptrdiff_t>(shown)}, ", ");
  return shown == names.size() ? text : fmt::format("{} and {} more", text, names.size() - shown);
}

/// The users of an environment: a line for each project, the last user first.
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
                                {"kept-bytes", found.retained_bytes}}
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
                           format_bytes(found.removed_bytes), format_bytes(found.retained_bytes)));
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

namespace {

const plan::Step& step_of(const plan::Plan& plan, plan::StepKind kind) {
  // Steps are in topological order, so the last match is the build or the test itself.
  const plan::Step* found = &plan.steps.back();
  for (const plan::Step& step : plan.steps) {
    if (plan::kind_of_step(step.id) == kind) found = &step;
  }
  return *found;
}

/// The earlier outcomes of the steps that a test needs.
Result<std::vector<plan::StepOutcome>> earlier_needs(const prepare::PreparedRun& run,
                                                     const plan::Step& step) {
  const host::Workplace& workplace = run.gathered.workplace;
  TRY(const store::Domain own, store::choose_domain({}, workplace.variables));
  TRY(const run::History history, host::read_journal(workplace.state, own));
  std::vector<plan::StepOutcome> needs;
  for (const auto& [id, outcome] :
       plan::reuse(run.plan, prepare::find_results(run.plan, history))) {
    const bool needed = std::find(step.needs.begin(), step.needs.end(), id) != step.needs.end();
    if (needed) needs.push_back(outcome);
  }
  return needs;
}

std::string levels_text(const prepare::LevelOptions& levels, const plan::PlanOptions& options) {
  std::string text;
  if (levels.engine != container::Engine::host)
    text += fmt::format(" {}", to_string(levels.engine));
  if (options.python == env::PythonSource::conda) text += " conda";
  return text;
}

/// Whether the build of the tested wheel has a result; those of its siblings do not count.
bool has_wheel(const plan::Step& test, const std::vector<plan::StepOutcome>& needs) {
  const auto* const action = std::get_if<plan::TestWheel>(&test.action);
  return std::ranges::any_of(needs, [action](const plan::StepOutcome& need) {
    return !need.outputs.empty() && (action == nullptr || need.id == action->build);
  });
}

}  // namespace

Result<int> cmd_env_shell(const prepare::Host& host, const prepare::GlobalOptions& global,
                          const EnvShellOptions& options, Streams& streams) {
  const plan::Stage stage = options.test ? plan::Stage::test : plan::Stage::build;
  const prepare::UseLocks locks = options.no_lock ? prepare::UseLocks::no : prepare::UseLocks::yes;
  TRY(const prepare::PreparedRun run,
      prepare::prepare_variant(
          host, global,
          {"env shell", options.arguments, options.levels, stage, prepare::locks_or_indexes(locks)},
          streams));
  const prepare::RunScope& scope = run.gathered.scope;
  const std::string& variant = scope.outline.variants.front().id;
  const plan::Step& step =
      step_of(run.plan, options.test ? plan::StepKind::test : plan::StepKind::build);
  session::StepEntry entry{step,
                           fmt::format("{}{}{}", variant, options.test ? " test" : "",
                                       levels_text(options.levels, scope.options)),
                           options.command};
  if (options.test) {
    TRY(entry.needs, earlier_needs(run, step));
    if (!has_wheel(step, entry.needs)) {
      streams.note(fmt::format("there is no wheel of {} yet: `pinwheel build` builds it\n",
                               quoted(variant)));
    }
  }
  if (options.command.empty()) {
    streams.note(
        fmt::format("{}: a copy of the source and the {}'s environment; the copy and any files in "
                    "it are removed when the shell exits\n",
                    step.id, options.test ? "test" : "build"));
  }
  return session::enter_step(host, run.gathered.workplace, entry, streams);
}

namespace {

namespace fs = std::filesystem;

/// The build of the variant.
Result<const plan::BuildWheel*> build_of(const plan::Plan& plan) {
  for (const plan::Step& step : plan.steps) {
    if (const auto* const build = std::get_if<plan::BuildWheel>(&step.action)) {
      return build;
    }
  }
  return fail(ErrorKind::internal, "the plan builds nothing");
}

/// Removes an earlier export; a directory with anything else is not changed.
Done make_room(ports::Files& files, const fs::path& out) {
  TRY(const ports::FileStatus status, files.status(out));
  if (status.type == ports::FileType::missing) return {};
  TRY(const std::vector<std::string> names, files.list(out));
  TRY(const ports::FileStatus script, files.status(out / conda::kExportDirectory / "create.sh"));
  if (!names.empty() && script.type == ports::FileType::missing) {
    return fail(ErrorKind::usage,
                fmt::format("{} is not empty and contains no earlier export", quoted(out.string())),
                "choose a directory that does not exist yet");
  }
  return files.remove_all(out);
}

/// Copies the files of the Dockerfile's directory, which it may use.
Done copy_context(ports::Files& files, const fs::path& dockerfile, const fs::path& out) {
  const fs::path context = dockerfile.parent_path();
  std::error_code failed;
  for (fs::recursive_directory_iterator at(context, failed), end; !failed && at != end;
       at.increment(failed)) {
    std::error_code ignored;
    if (!at->is_regular_file(ignored) || at->path() == dockerfile) continue;
    TRY(std::string text, files.read(at->path()));
    const fs::path name = at->path().lexically_relative(context);
    if (name == ".dockerignore") text += fmt::format("\n!{}\n", conda::kExportDirectory);
    const fs::perms mode = at->status(ignored).permissions();
    const bool program = (mode & fs::perms::owner_exec) != fs::perms::none;
    TRY_DONE(files.write(out / name, text, program ? 0755 : 0644));
  }
  if (!failed) return {};
  return fail(ErrorKind::environment,
              fmt::format("{} cannot be read: {}", quoted(context.string()), failed.message()));
}

/// The base of the export: the image that was used, else the public one with the same Python.
Done add_image(ports::Files& files, const prepare::GatheredRun& run, const env::Request& request,
               const fs::path& out, conda::EnvironmentExport& exported) {
  if (request.container.base.empty()) {
    exported.base = "python:" + exported.lock.resolution.python;
    return {};
  }
  const auto image = run.images.find(container::digest(request.container));
  if (image == run.images.end()) {
    return fail(ErrorKind::internal,
                fmt::format("{} has no image", quoted(request.container.base)));
  }
  const auto& [name, used] = image->second;
  exported.base = used.base_digests.empty() ? name : used.base_digests.front();
  exported.lock.image = prepare::locked_image(used);
  if (request.container.dockerfile.empty()) return {};
  const fs::path dockerfile =
      (run.workplace.matrix_directory / request.container.dockerfile).lexically_normal();
  TRY(const std::string text, files.read(dockerfile));
  exported.dockerfile = conda::with_arguments(text, request.container.arguments);
  exported.stage = request.container.target;
  return copy_context(files, dockerfile, out);
}

Result<conda::EnvironmentExport> gather_export(const prepare::Host& host,
                                               const prepare::PreparedRun& prepared,
                                               const fs::path& out) {
  const prepare::GatheredRun& run = prepared.gathered;
  const std::string& variant = run.scope.outline.variants.front().id;
  TRY(const plan::BuildWheel* const build, build_of(prepared.plan));
  const env::Request& request = build->environment;
  const prepare::OpenMachine local = host.machine(run.workplace);
  TRY(env::Resolution resolution, host::load_resolution(*local, env::digest(request)));
  conda::EnvironmentExport exported{
      variant, env::make_lock(request, std::move(resolution), run.facts.machine)};
  exported.lock.variants = {variant};
  exported.secrets = build->secrets;
  if (!request.toolkit.empty()) {
    exported.lock.toolkits = {
        {request.toolkit, prepare::found_release(*local, run.facts, request)}};
  }
  TRY_DONE(add_image(host.files, run, request, out, exported));
  return exported;
}

}  // namespace

Result<int> cmd_env_export(const prepare::Host& host, const prepare::GlobalOptions& global,
                           const EnvExportOptions& options, Streams& streams) {
  const fs::path out = host.at(options.out);
  const prepare::UseLocks locks = options.no_lock ? prepare::UseLocks::no : prepare::UseLocks::yes;
  TRY(const prepare::PreparedRun run,
      prepare::prepare_variant(host, global,
                               {"env export", options.arguments, options.levels, plan::Stage::build,
                                prepare::locks_or_indexes(locks)},
                               streams));
  TRY_DONE(make_room(host.files, out));
  TRY(const conda::EnvironmentExport exported, gather_export(host, run, out));
  for (const conda::ExportedFile& file : conda::export_files(exported)) {
    TRY_DONE(host.files.write(out / file.path, file.text, file.mode));
  }
  const std::string place = shell_quote(options.out);
  streams.note(fmt::format("wrote {}: {}, or {}/{}/create.sh DIRECTORY\n", exported.id,
                           quoted("docker build " + place), place, conda::kExportDirectory));
  return 0;
}

}  // namespace pinwheel::cli
