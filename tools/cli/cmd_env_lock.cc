#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/text.h"
#include "cli/commands.h"
#include "env/commands.h"
#include "env/patchelf.h"
#include "host/machine/machine_name.h"
#include "host/provision/env_pip.h"
#include "host/provision/env_resolve.h"
#include "host/provision/interpreters.h"
#include "plan/environments.h"
#include "prepare/build_facts.h"
#include "prepare/collect_answers.h"
#include "prepare/host.h"
#include "prepare/load.h"
#include "prepare/locks.h"
#include "prepare/plan_facts.h"
#include "prepare/prepare_environments.h"
#include "prepare/read_scope.h"
#include "prepare/stoppable.h"
#include "prepare/workplace.h"
#include "report/table.h"

namespace pinwheel::cli {
namespace {

namespace fs = std::filesystem;

/// The shared state of the command.
struct Locking {
  prepare::RunScope scope;
  std::string directory;
  std::vector<plan::LockTarget> targets;  ///< of the whole matrix
  std::vector<plan::LockTarget> needed;   ///< of the selection
};

enum class Levels { same, other };

/// Whether a lock is for environments with this engine and Python source: files for others have
/// names that this command line does not produce.
Levels levels_of(const env::Lock& lock, const plan::PlanOptions& options) {
  const bool container = !lock.asked.container.base.empty();
  const bool conda = !lock.asked.conda.packages.empty();
  const bool toolkit = lock.asked.python.empty();
  const bool same = container == container::uses_containers(options.engine) &&
                    (toolkit || conda == (options.python == env::PythonSource::conda));
  return same ? Levels::same : Levels::other;
}

/// Locks in the directory that no longer belong to an environment of the matrix.
Result<std::vector<prepare::LockFile>> orphans(ports::Files& files, const Locking& locking) {
  std::vector<prepare::LockFile> result;
  TRY(const ports::FileStatus status, files.status(locking.directory));
  if (status.type != ports::FileType::directory) return result;
  TRY(const std::vector<std::string> names, files.list(locking.directory));
  for (const std::string& name : names) {
    const bool known =
        std::any_of(locking.targets.begin(), locking.targets.end(),
                    [&name](const plan::LockTarget& target) { return target.file == name; });
    if (known || !name.starts_with("pylock.") || !name.ends_with(".toml")) continue;
    TRY(const std::string text, files.read(fs::path(locking.directory) / name, limits::kLock));
    Result<env::Lock> lock = env::parse_pylock(text, name);
    // A pylock file not written by pinwheel is not an orphan.
    if (!lock || levels_of(*lock, locking.scope.options) == Levels::other) continue;
    result.push_back({{name, {}}, prepare::LockState::orphan, {}, {}, *std::move(lock)});
  }
  return result;
}

Result<std::vector<std::string>> pip_options(const host::EnvMachine& machine,
                                             const env::Request& request) {
  if (request.python.empty()) return std::vector<std::string>();
  const Result<env::Interpreter> interpreter = host::interpreter_for(machine, request.python);
  // The interpreter may come from conda or an image; its pip reads the same configuration as this
  // machine's.
  if (!interpreter) return std::vector<std::string>();
  TRY(const env::Pip pip, host::own_pip(machine, *interpreter));
  TRY(const ports::Captured ran, machine.process.capture(env::list_configuration(pip)));
  return env::deciding_pip_options(ran.exit.ok() ? ran.out : "");
}

std::vector<env::LockedToolkit> toolkits_of(const host::EnvMachine& machine, const Locking& locking,
                                            const plan::PlanFacts& facts,
                                            const plan::LockTarget& target) {
  std::vector<env::LockedToolkit> result;
  for (const env::Request& build : target.toolkits) {
    env::LockedToolkit toolkit{build.toolkit, prepare::found_release(machine, facts, build)};
    for (const plan::LockTarget& other : locking.targets) {
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

/// The backend's requirements for builds in this environment.
std::optional<matrix::BackendAnswer> answer_for(const matrix::Matrix& matrix,
                                                const plan::LockTarget& target) {
  for (const std::string& variant : target.variants) {
    const auto found = matrix.backend_answers.find(variant);
    if (found != matrix.backend_answers.end()) return found->second;
  }
  return std::nullopt;
}

/// Adds the build requirements of the environment besides its packages. A toolkit has no builds of
/// its own.
env::Lock with_tools(env::Lock lock, const matrix::Matrix& matrix, const plan::LockTarget& target) {
  if (!target.toolkit_of.empty()) return lock;
  lock.backend = answer_for(matrix, target);
  lock.patchelf = env::kPatchelfVersion;
  return lock;
}

/// Copies the public URLs of the old lock to the same files: the machine that wrote it knew them.
void copy_urls(const env::Lock& old, std::vector<env::PipPackage>& packages) {
  for (env::PipPackage& package : packages) {
    const env::PipPackage* const before = old.resolution.find(package.name);
    const bool same =
        before != nullptr && before->sha256 == package.sha256 && before->file == package.file;
    if (same && package.url.empty()) package.url = before->url;
  }
}

/// The lock of a target, from its recorded resolution and the machine's facts.
Result<env::Lock> lock_of(const host::EnvMachine& machine, const Locking& locking,
                          const prepare::LockFile& before,
                          const prepare::PreparedEnvironments& made) {
  const plan::LockTarget& target = before.target;
  TRY(env::Resolution resolution, host::load_resolution(machine, env::digest(target.request)));
  if (before.lock) copy_urls(*before.lock, resolution.packages);
  env::Lock lock = env::make_lock(target.request, std::move(resolution), made.facts.machine);
  lock.variants = target.variants;
  lock = with_tools(std::move(lock), locking.scope.loaded.matrix, target);
  lock.toolkits = toolkits_of(machine, locking, made.facts, target);
  TRY(lock.pip_options, pip_options(machine, target.request));
  const auto image = made.images.find(container::digest(target.request.container));
  if (image != made.images.end() && !target.request.container.base.empty()) {
    lock.image = prepare::locked_image(image->second.image);
  }
  return lock;
}

/// A valid lock: its packages stay, and its metadata is updated from the matrix.
env::Lock still_current(const prepare::LockFile& before, const matrix::Matrix& matrix) {
  env::Lock lock = *before.lock;
  lock.variants = before.target.variants;
  return with_tools(std::move(lock), matrix, before.target);
}

/// Writes the lock if necessary, and returns its new state.
Result<prepare::LockFile> write_lock(const host::EnvMachine& machine, const Locking& locking,
                                     prepare::LockFile lock,
                                     const prepare::PreparedEnvironments& made, Streams& streams) {
  env::Lock next;
  if (lock.state == prepare::LockState::current) {
    next = still_current(lock, locking.scope.loaded.matrix);
  } else {
    TRY(next, lock_of(machine, locking, lock, made));
  }
  const fs::path path = fs::path(locking.directory) / lock.target.file;
  const std::string text = env::to_pylock(next);
  if (lock.lock && env::to_pylock(*lock.lock) == text) {
    lock.state = prepare::LockState::current;
    return lock;
  }
  if (lock.lock) {
    lock.differences = env::package_differences(lock.lock->resolution, next.resolution);
    for (const env::LockDifference& each : lock.differences) {
      streams.note(fmt::format("{}: {}\n", lock.target.file, env::to_text(each)));
    }
  }
  TRY_DONE(machine.files.write(path, text));
  lock.state = prepare::LockState::written;
  lock.lock = std::move(next);
  return lock;
}

/// Writes the locks that are not current, and removes those that are no longer used.
Result<std::vector<prepare::LockFile>> write_locks(const prepare::Host& host,
                                                   const Locking& locking,
                                                   const prepare::PreparedEnvironments& made,
                                                   const std::stop_token& stop, Streams& streams) {
  host::Workplace workplace = made.workplace;
  workplace.stop = stop;
  const prepare::OpenMachine local = host.machine(workplace);
  std::vector<prepare::LockFile> locks;
  for (const prepare::LockFile& before : made.locks) {
    TRY(prepare::LockFile lock, write_lock(*local, locking, before, made, streams));
    locks.push_back(std::move(lock));
  }
  TRY(const std::vector<prepare::LockFile> gone, orphans(local->files, locking));
  for (const prepare::LockFile& each : gone) {
    TRY_DONE(local->files.remove_all(fs::path(locking.directory) / each.target.file));
    streams.note(fmt::format("removed {}: no environment of the matrix uses it\n",
                             quoted(each.target.file)));
  }
  return locks;
}

Result<std::vector<prepare::LockFile>> check_locks(ports::Files& files, const Locking& locking,
                                                   std::vector<prepare::LockFile> locks) {
  TRY(const std::vector<prepare::LockFile> gone, orphans(files, locking));
  locks.insert(locks.end(), gone.begin(), gone.end());
  return locks;
}

std::string as_table(const std::vector<prepare::LockFile>& locks, size_t columns) {
  std::vector<std::vector<std::string>> rows = {{"lock", "state", "python", "packages"}};
  for (const prepare::LockFile& each : locks) {
    std::vector<std::string>& row =
        rows.emplace_back(std::vector{each.target.file, std::string(to_string(each.state))});
    if (!each.lock) continue;
    const env::Resolution& resolution = each.lock->resolution;
    row.push_back(resolution.python);
    row.push_back(fmt::format("{}", resolution.packages.size() + resolution.conda.size()));
  }
  return report::align_columns(rows, columns);
}

std::string as_json(const std::string& directory, const std::vector<prepare::LockFile>& locks) {
  nlohmann::json all = nlohmann::json::array();
  for (const prepare::LockFile& each : locks) {
    nlohmann::json differences = nlohmann::json::array();
    for (const env::LockDifference& difference : each.differences) {
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

Result<prepare::RunScope> scope_to_lock(const prepare::Host& host,
                                        const prepare::GlobalOptions& global,
                                        const EnvLockOptions& options, Streams& streams) {
  TRY(const prepare::MatrixChoice choice,
      prepare::choose_matrix(host, options.selection.arguments));
  prepare::VersionFacts version;
  version.machine = host::machine_name();
  // A lock is for every version. A backend that is asked for its requirements gets this one.
  version.version.version = "0";
  prepare::ScopeRequest request{global, choice, options.selection, options.levels,
                                plan::Stage::test};
  request.version = std::move(version);
  return prepare::read_scope(host, request, streams);
}

/// The source of the packages; `needed` is still empty.
Result<prepare::ForLocks> work_of(const prepare::RunScope& scope, const EnvLockOptions& options) {
  prepare::ForLocks work{plan::lock_directory(scope.loaded.matrix.file),
                         {},
                         options.check ? prepare::LockWork::check : prepare::LockWork::write,
                         options.refresh ? prepare::Refresh::yes : prepare::Refresh::no};
  for (const std::string& text : options.upgraded) {
    TRY(pep::Requirement package, pep::parse_requirement(text));
    work.upgraded.push_back(std::move(package));
  }
  return work;
}

/// The locks of a scope with the requirements of its project and its backend.
Result<Locking> read_locking(prepare::RunScope scope) {
  const auto& [matrix, expansion, classes, digest] = scope.loaded;
  std::vector<plan::LockTarget> targets =
      plan::lock_targets(matrix, expansion, classes, scope.options);
  TRY(std::vector<plan::LockTarget> needed,
      plan::needed_locks(targets, matrix, expansion, scope.outline, scope.options));
  std::string directory = plan::lock_directory(matrix.file);
  return Locking{std::move(scope), std::move(directory), std::move(targets), std::move(needed)};
}

/// The locks of the selection, written or checked, and the matrix's other locks.
struct Locked {
  Locking locking;
  std::vector<prepare::LockFile> locks;
};

/// Writes or checks the locks of the selection.
Result<Locked> updated_locks(const prepare::Host& host, prepare::RunScope scope,
                             const EnvLockOptions& options, Streams& streams) {
  TRY(const host::Workplace workplace, prepare::make_workplace(host, scope, streams.log()));
  TRY_DONE(streams.log_into(workplace.logs));
  TRY(const prepare::BuildFacts build,
      prepare::gather_build_facts(host, scope, workplace, std::nullopt));
  scope.loaded.matrix.build_requires = prepare::requires_of(scope.loaded.matrix, build);
  const plan::PlanFacts facts = prepare::plan_facts(scope.version, build);
  TRY(prepare::ForLocks source, work_of(scope, options));
  TRY(scope.loaded.matrix,
      prepare::collect_answers({host, scope, workplace, facts},
                               prepare::backend_questions(scope.loaded.matrix, build), source,
                               streams));
  TRY(Locking locking, read_locking(std::move(scope)));
  source.needed = locking.needed;
  TRY(prepare::PreparedEnvironments made,
      prepare::prepare_environments({host, locking.scope, workplace, facts}, source, streams));
  if (options.check) {
    TRY(std::vector<prepare::LockFile> checked,
        check_locks(host.files, locking, std::move(made.locks)));
    return Locked{std::move(locking), std::move(checked)};
  }
  TRY(std::vector<prepare::LockFile> written,
      prepare::stoppable<std::vector<prepare::LockFile>>([&](const std::stop_token& stop) {
        return write_locks(host, locking, made, stop, streams);
      }));
  return Locked{std::move(locking), std::move(written)};
}

}  // namespace

Result<int> cmd_env_lock(const prepare::Host& host, const prepare::GlobalOptions& global,
                         const EnvLockOptions& options, Streams& streams) {
  TRY(prepare::RunScope scope, scope_to_lock(host, global, options, streams));
  TRY(const Locked locked, updated_locks(host, std::move(scope), options, streams));
  const auto& [locking, locks] = locked;
  if (options.json) {
    streams.json(as_json(locking.directory, locks));
  } else {
    streams.data(as_table(locks, streams.data_columns()));
  }
  const bool good = std::all_of(locks.begin(), locks.end(), [](const prepare::LockFile& lock) {
    return lock.state == prepare::LockState::current || lock.state == prepare::LockState::written;
  });
  if (good) return 0;
  return fail(prepare::out_of_date(locking.directory, locking.scope.loaded.matrix.file, locks));
}

}  // namespace pinwheel::cli
