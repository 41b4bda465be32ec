#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/levels.h"
#include "cli/load.h"
#include "cli/locks.h"
#include "cli/prepare_containers.h"
#include "cli/stoppable.h"
#include "env/commands.h"
#include "host/machine/local_machine.h"
#include "host/machine/machine_name.h"
#include "host/provision/env_pip.h"
#include "host/provision/env_resolve.h"
#include "host/provision/machine_interpreter.h"
#include "host/provision/toolkit.h"
#include "host/system/files.h"
#include "plan/environments.h"
#include "report/plan_text.h"

namespace pinwheel::cli {
namespace {

namespace fs = std::filesystem;

/// What every part of the command works on.
struct Locking {
  const Loaded& loaded;
  const plan::Outline& outline;
  plan::PlanOptions options;
  std::string directory;
  std::vector<plan::LockTarget> targets;  ///< of the whole matrix
  std::vector<plan::LockTarget> needed;   ///< of the selection
};

enum class Levels { same, other };

/// Whether a lock is of environments with these levels: those of others have names that this
/// command line does not give.
Levels levels_of(const env::Lock& lock, const plan::PlanOptions& options) {
  const bool container = !lock.asked.container.base.empty();
  const bool conda = !lock.asked.conda.packages.empty();
  const bool toolkit = lock.asked.python.empty();
  const bool same = container == (options.level1 == plan::Level1::container) &&
                    (toolkit || conda == (options.level2 == plan::Level2::conda));
  return same ? Levels::same : Levels::other;
}

/// Locks in the directory that no environment of the matrix has any more.
Result<std::vector<LockFile>> orphans(ports::Files& files, const Locking& what) {
  std::vector<LockFile> result;
  TRY(const ports::FileStatus status, files.status(what.directory));
  if (status.type != ports::FileType::directory) return result;
  TRY(const std::vector<std::string> names, files.list(what.directory));
  for (const std::string& name : names) {
    const bool known =
        std::any_of(what.targets.begin(), what.targets.end(),
                    [&name](const plan::LockTarget& target) { return target.file == name; });
    if (known || !name.starts_with("pylock.") || !name.ends_with(".toml")) continue;
    TRY(const std::string text, files.read(fs::path(what.directory) / name));
    Result<env::Lock> lock = env::parse_pylock(text, name);
    // Somebody else's pylock file is nobody's orphan.
    if (!lock || levels_of(*lock, what.options) == Levels::other) continue;
    result.push_back({{name, {}}, LockState::orphan, {}, {}, *std::move(lock)});
  }
  return result;
}

Result<std::vector<std::string>> pip_options(const host::EnvMachine& machine,
                                             const env::Request& request) {
  if (request.python.empty()) return std::vector<std::string>();
  const Result<env::Interpreter> interpreter = host::interpreter_for(machine, request.python);
  // The interpreter may be another level's; its pip reads the same configuration as this machine's.
  if (!interpreter) return std::vector<std::string>();
  TRY(const env::Pip pip, host::own_pip(machine, *interpreter));
  TRY(const ports::Captured ran, machine.process.capture(env::list_configuration(pip)));
  return env::deciding_pip_options(ran.exit.ok() ? ran.out : "");
}

std::vector<env::LockedToolkit> toolkits_of(const host::EnvMachine& machine, const Locking& what,
                                            const Facts& facts, const plan::LockTarget& target) {
  std::vector<env::LockedToolkit> result;
  for (const env::Request& build : target.toolkits) {
    env::LockedToolkit toolkit{build.toolkit, found_release(machine, facts, build)};
    for (const plan::LockTarget& other : what.targets) {
      const bool its = std::any_of(other.toolkit_of.begin(), other.toolkit_of.end(),
                                   [&build](const env::Request& of) {
                                     return of.python == build.python &&
                                            env::toolkit_digest(of) == env::toolkit_digest(build);
                                   });
      if (its) toolkit.file = other.file;
    }
    result.push_back(std::move(toolkit));
  }
  std::sort(result.begin(), result.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return result;
}

/// Where the same file has a public place in the old lock, the new one keeps it: another machine
/// knew it.
void keep_places(const env::Lock& old, std::vector<env::Package>& packages) {
  for (env::Package& package : packages) {
    const env::Package* const before = old.resolution.find(package.name);
    const bool same =
        before != nullptr && before->sha256 == package.sha256 && before->file == package.file;
    if (same && package.url.empty()) package.url = before->url;
  }
}

/// The lock of a target from the resolution on record, and what of the machine belongs to it.
Result<env::Lock> lock_of(const host::EnvMachine& machine, const Locking& what,
                          const LockFile& before, const Facts& facts) {
  const plan::LockTarget& target = before.target;
  TRY(env::Resolution resolution, host::load_resolution(machine, env::digest(target.request)));
  if (before.lock) keep_places(*before.lock, resolution.packages);
  env::Lock lock = env::make_lock(target.request, std::move(resolution), facts.plan.machine);
  lock.variants = target.variants;
  lock.toolkits = toolkits_of(machine, what, facts, target);
  TRY(lock.pip_options, pip_options(machine, target.request));
  const auto image = facts.images.find(env::digest(target.request.container));
  if (image != facts.images.end() && !target.request.container.base.empty()) {
    lock.image = locked_image(image->second.image);
  }
  return lock;
}

/// A lock that binds: its packages stay, and what is said about it follows the matrix.
env::Lock still_current(const LockFile& before) {
  env::Lock lock = *before.lock;
  lock.variants = before.target.variants;
  return lock;
}

Result<std::vector<LockFile>> read_all(ports::Files& files, const Locking& what,
                                       const Facts& facts) {
  std::vector<LockFile> locks;
  for (const plan::LockTarget& target : what.needed) {
    TRY(LockFile lock, read_lock(files, what.directory, target, facts));
    locks.push_back(std::move(lock));
  }
  return locks;
}

/// The toolkits that PyPI may give are locked for machines that have none, wherever that works.
void resolve_toolkits(const host::EnvMachine& machine, std::vector<LockFile>& locks,
                      Refresh refresh, Streams& streams) {
  const auto cannot = [&](const LockFile& lock) {
    if (lock.target.toolkit_of.empty() || lock.state == LockState::current) return false;
    // Those of conda are resolved with the builds that ask for them.
    if (lock.target.request.python.empty()) return false;
    const Result<host::Resolved> resolved = host::resolve(machine, lock.target.request, refresh);
    if (!resolved) streams.warn(resolved.error());
    return !resolved;
  };
  locks.erase(std::remove_if(locks.begin(), locks.end(), cannot), locks.end());
}

Done write_lock(const host::EnvMachine& machine, const Locking& what, const Facts& facts,
                LockFile& lock, Streams& streams) {
  const bool kept = lock.state == LockState::current;
  env::Lock made;
  if (kept) {
    made = still_current(lock);
  } else {
    TRY(made, lock_of(machine, what, lock, facts));
  }
  const fs::path path = fs::path(what.directory) / lock.target.file;
  const std::string text = env::to_pylock(made);
  if (lock.lock && env::to_pylock(*lock.lock) == text) {
    lock.state = LockState::current;
    return {};
  }
  if (lock.lock) {
    lock.differences = env::package_differences(lock.lock->resolution, made.resolution);
    for (const env::Difference& each : lock.differences) {
      streams.note(fmt::format("{}: {}\n", lock.target.file, env::to_text(each)));
    }
  }
  TRY_DONE(machine.files.write(path, text));
  lock.state = LockState::written;
  lock.lock = std::move(made);
  return {};
}

/// Resolves what is not locked, and writes what is not as it should be.
Result<std::vector<LockFile>> write_locks(const host::Workplace& workplace, const Locking& what,
                                          Refresh refresh, Facts& facts, Streams& streams) {
  host::LocalMachine local(workplace);
  host::LocalFiles& files = local.files;
  const host::EnvMachine& machine = local.machine;
  TRY(std::vector<LockFile> locks, read_all(files, what, facts));
  for (LockFile& lock : locks) {
    if (lock.state != LockState::current) continue;
    if (refresh == Refresh::yes) {
      lock.state = LockState::stale;
    } else {
      TRY_DONE(use_lock(machine, lock, streams, facts));
    }
  }
  TRY_DONE(gather_resolutions({what.loaded, what.outline, what.options}, workplace, refresh,
                              streams, facts));
  resolve_toolkits(machine, locks, refresh, streams);
  for (LockFile& lock : locks) TRY_DONE(write_lock(machine, what, facts, lock, streams));
  TRY(const std::vector<LockFile> gone, orphans(files, what));
  for (const LockFile& each : gone) {
    TRY_DONE(files.remove_all(fs::path(what.directory) / each.target.file));
    streams.note(
        fmt::format("removed {}: no environment of the matrix is its\n", quoted(each.target.file)));
  }
  return locks;
}

/// What a resolution now would change, found in a state directory of its own: a check must not
/// decide what the next build takes.
Done compare_afresh(host::Workplace workplace, const Locking& what, Facts facts,
                    std::vector<LockFile>& locks, Streams& streams) {
  workplace.state /= "lock-check";
  host::LocalMachine local(workplace);
  host::LocalFiles& files = local.files;
  const host::EnvMachine& machine = local.machine;
  TRY_DONE(files.remove_all(workplace.state));
  TRY_DONE(gather_resolutions({what.loaded, what.outline, what.options}, workplace, Refresh::yes,
                              streams, facts));
  for (LockFile& lock : locks) {
    if (lock.state != LockState::current) continue;
    const Result<env::Resolution> now =
        host::load_resolution(machine, env::digest(lock.target.request));
    if (!now) continue;
    lock.differences = env::package_differences(lock.lock->resolution, *now);
    if (!lock.differences.empty()) lock.state = LockState::stale;
  }
  return files.remove_all(workplace.state);
}

Result<std::vector<LockFile>> check_locks(const host::Workplace& workplace, const Locking& what,
                                          Refresh refresh, const Facts& facts, Streams& streams) {
  host::LocalMachine local(workplace);
  host::LocalFiles& files = local.files;
  const host::EnvMachine& machine = local.machine;
  TRY(std::vector<LockFile> locks, read_all(files, what, facts));
  const auto optional = [&machine](const LockFile& lock) {
    return lock.state == LockState::missing && !binds(machine, lock.target);
  };
  locks.erase(std::remove_if(locks.begin(), locks.end(), optional), locks.end());
  if (refresh == Refresh::yes) {
    TRY_DONE(compare_afresh(workplace, what, facts, locks, streams));
  }
  TRY(const std::vector<LockFile> gone, orphans(files, what));
  locks.insert(locks.end(), gone.begin(), gone.end());
  return locks;
}

std::string as_table(const std::vector<LockFile>& locks) {
  std::vector<std::vector<std::string>> rows = {{"lock", "state", "python", "packages"}};
  for (const LockFile& each : locks) {
    std::vector<std::string>& row =
        rows.emplace_back(std::vector{each.target.file, std::string(to_string(each.state))});
    if (!each.lock) continue;
    const env::Resolution& resolution = each.lock->resolution;
    row.push_back(resolution.python);
    row.push_back(fmt::format("{}", resolution.packages.size() + resolution.conda.size()));
  }
  return report::align_columns(rows);
}

std::string as_json(const std::string& directory, const std::vector<LockFile>& locks) {
  nlohmann::json all = nlohmann::json::array();
  for (const LockFile& each : locks) {
    nlohmann::json differences = nlohmann::json::array();
    for (const env::Difference& difference : each.differences) {
      differences.push_back(
          {{"what", difference.what}, {"locked", difference.locked}, {"now", difference.now}});
    }
    nlohmann::json one = {{"file", each.target.file},
                          {"state", to_string(each.state)},
                          {"variants", each.target.variants},
                          {"differences", differences}};
    if (each.lock) one["resolution"] = each.lock->resolution.digest();
    if (each.damage) one["damage"] = each.damage->message;
    all.push_back(std::move(one));
  }
  return nlohmann::json{{"schema", "pinwheel-locks/1"}, {"directory", directory}, {"locks", all}}
             .dump(2, ' ', false, nlohmann::json::error_handler_t::replace) +
         "\n";
}

Result<Locking> gather(const Loaded& loaded, const plan::Outline& outline,
                       const LevelOptions& levels) {
  TRY(const plan::PlanOptions options, plan_options(plan::Stage::test, {}, levels));
  Locking what{loaded, outline, options, plan::lock_directory(loaded.matrix.file), {}, {}};
  what.targets = plan::lock_targets(loaded.matrix, loaded.expansion, loaded.classes, options);
  TRY(what.needed,
      plan::needed_locks(what.targets, loaded.matrix, loaded.expansion, outline, options));
  return what;
}

}  // namespace

Result<int> cmd_env_lock(const GlobalOptions& global, const EnvLockOptions& options,
                         Streams& streams) {
  host::LocalFiles files;
  TRY(const MatrixChoice choice, choose_matrix(files, options.selection.arguments));
  const Warnings warnings = options.selection.strict ? Warnings::refuse : Warnings::tell;
  TRY(const Loaded loaded, load_matrix(files, choice.path, streams, warnings));
  TRY(const plan::Outline outline,
      select_outline(loaded, options.selection, choice.globs, options.selection.channel));
  TRY(host::Workplace workplace, make_workplace(global, loaded));
  TRY(const Locking what, gather(loaded, outline, options.levels));
  Facts facts;
  facts.plan.machine = host::machine_name();
  const Refresh refresh = options.refresh ? Refresh::yes : Refresh::no;
  std::vector<LockFile> locks;
  const auto prepare = [&]() -> Done {
    TRY_DONE(prepare_containers({loaded, outline, what.options}, options.levels, TestImages::leave,
                                workplace, streams, facts));
    if (options.check) {
      TRY(locks, check_locks(workplace, what, refresh, facts, streams));
    } else {
      TRY(locks, write_locks(workplace, what, refresh, facts, streams));
    }
    return {};
  };
  TRY_DONE(stoppable(workplace, prepare));
  streams.data(options.json ? as_json(what.directory, locks) : as_table(locks));
  const bool good = std::all_of(locks.begin(), locks.end(), [](const LockFile& lock) {
    return lock.state == LockState::current || lock.state == LockState::written;
  });
  if (good) return 0;
  return fail(out_of_date(what.directory, loaded.matrix.file, locks));
}

}  // namespace pinwheel::cli
