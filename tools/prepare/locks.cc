#include "prepare/locks.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "env/lock.h"
#include "env/patchelf.h"
#include "env/request.h"
#include "env/toolkit.h"
#include "host/provision/env_resolve.h"
#include "host/provision/interpreters.h"
#include "host/provision/toolkit.h"
#include "pep/name.h"
#include "plan/environments.h"
#include "prepare/host.h"
#include "toolkits/made_toolkit.h"
#include "toolkits/pypi_toolkit.h"

namespace pinwheel::prepare {
namespace {

namespace fs = std::filesystem;

/// The packages of a lock as a resolution for the interpreter of this machine.
Result<env::Resolution> locked_resolution(const host::EnvMachine& machine, const LockFile& lock,
                                          ports::Notices& notices) {
  const env::Request& request = lock.target.request;
  env::Resolution resolution = lock.lock->resolution;
  // A lock has the index without credentials; the matrix has them.
  if (!resolution.torch_index.empty()) resolution.torch_index = request.torch.index;
  resolution.at = std::chrono::floor<std::chrono::seconds>(machine.clock.now());
  if (!request.container.base.empty() || !request.conda.packages.empty()) return resolution;
  TRY(const env::Interpreter interpreter, host::interpreter_for(machine, request.python));
  const std::string here = env::full_version(interpreter);
  if (here != resolution.python) {
    notices.warn({.kind = ErrorKind::environment,
                  .message = fmt::format("{} was locked with Python {}, but this machine has {}",
                                         quoted(lock.target.file), resolution.python, here),
                  .hint = "the packages are those of the lock"});
    resolution.python = here;
  }
  return resolution;
}

}  // namespace

std::string_view to_string(LockState state) {
  switch (state) {
    case LockState::current:
      return "current";
    case LockState::missing:
      return "missing";
    case LockState::stale:
      return "stale";
    case LockState::damaged:
      return "damaged";
    case LockState::orphan:
      return "orphan";
    case LockState::written:
      return "written";
  }
  return "";
}

namespace {

/// Reads the lock file of a target and compares the requests. Uses no index. An unreadable lock is
/// a state, not an error.
Result<LockFile> read_lock(ports::Files& files, const std::string& directory,
                           const plan::LockTarget& target, const plan::PlanFacts& facts) {
  LockFile result{target};
  const fs::path path = fs::path(directory) / target.file;
  TRY(const ports::FileStatus status, files.status(path));
  if (status.type == ports::FileType::missing) {
    result.state = LockState::missing;
    return result;
  }
  TRY(const std::string text, files.read(path, limits::kLock));
  Result<env::Lock> lock = env::parse_pylock(text, target.file);
  if (!lock) {
    result.state = LockState::damaged;
    result.damage = std::move(lock).error();
    return result;
  }
  result.differences = env::request_differences(*lock, target.request);
  const std::string key = plan::image_key(facts, target.request);
  if (lock->image && !key.empty() && lock->image->key != key) {
    result.differences.push_back({"image", lock->image->key.substr(0, 12), key.substr(0, 12)});
  }
  if (!lock->patchelf.empty() && lock->patchelf != env::kPatchelfVersion) {
    result.differences.push_back({"patchelf", lock->patchelf, env::kPatchelfVersion});
  }
  if (!result.differences.empty()) result.state = LockState::stale;
  result.lock = *std::move(lock);
  return result;
}

}  // namespace

Error to_error(const LockFile& lock) {
  if (lock.damage) return *lock.damage;
  const std::string file = quoted(lock.target.file);
  switch (lock.state) {
    case LockState::missing:
      return {ErrorKind::drift,
              fmt::format("{} is missing; it locks {}", file, quoted_list(lock.target.variants))};
    case LockState::orphan:
      return {ErrorKind::drift, fmt::format("{} locks no environment of this matrix", file)};
    default:
      break;
  }
  std::vector<std::string> texts;
  for (const env::LockDifference& each : lock.differences) texts.push_back(env::to_text(each));
  return {ErrorKind::drift, fmt::format("{} is out of date: {}", file, join(texts, "; "))};
}

Error out_of_date(const std::string& directory, const std::string& matrix,
                  const std::vector<LockFile>& all) {
  Error error{ErrorKind::drift, fmt::format("the locks in {} are out of date", quoted(directory))};
  error.hint = fmt::format("update them: {}",
                           quoted(fmt::format("pinwheel env lock {}", shell_quote(matrix))));
  for (const LockFile& lock : all) {
    if (lock.state != LockState::current) error.causes.push_back(to_error(lock));
  }
  return error;
}

env::LockedImage locked_image(const container::ContainerImage& image) {
  return {image.id, image.key,
          image.base_digests.empty() ? image.base_id : image.base_digests.front()};
}

std::string found_release(const host::EnvMachine& machine, const plan::PlanFacts& facts,
                          const env::Request& build) {
  const auto fact = facts.toolkits.find(env::toolkit_digest(build));
  if (fact != facts.toolkits.end()) {
    const bool found = fact->second.origin == plan::ToolkitOrigin::found;
    return found ? fact->second.exact : std::string();
  }
  if (toolkits::asks_for_packages(build) || !build.container.base.empty()) return {};
  for (const env::Toolkit& each : host::list_toolkits(machine)) {
    if (each.name == env::toolkit_name(build.toolkit)) return each.release;
  }
  return {};
}

namespace {

/// Whether a lock applies to a run on this machine. The lock of a toolkit that may come from PyPI
/// applies only if the machine does not have that toolkit.
bool binds(const host::EnvMachine& machine, const plan::LockTarget& target) {
  if (target.toolkit_of.empty()) return true;
  return std::any_of(target.toolkit_of.begin(), target.toolkit_of.end(),
                     [&](const env::Request& build) {
                       if (build.toolkit_from != matrix::ToolkitFrom::automatic) return true;
                       // The contents of an image are known only when it runs; its own key covers
                       // them.
                       if (!build.container.base.empty()) return false;
                       return toolkits::comes_from_pypi(build, host::list_toolkits(machine));
                     });
}

/// Records the contents of a current lock as the resolution of its request. A venv uses the
/// machine's interpreter: warns if its patch release differs from the locked one.
Done record_lock(const host::EnvMachine& machine, const LockFile& lock, ports::Notices& notices) {
  const std::string request = env::digest(lock.target.request);
  TRY(const env::Resolution resolution, locked_resolution(machine, lock, notices));
  const Result<env::Resolution> known = host::load_resolution(machine, request);
  // An existing record has its date. It stays if the packages are the same.
  if (known && known->digest() == resolution.digest()) return {};
  return host::record_resolution(machine, request, env::to_json(resolution));
}

}  // namespace

Result<Decided> apply_locks(const RunView& run, Refresh refresh, ports::Notices& notices) {
  const OpenMachine local = run.host.machine(run.workplace);
  const auto& [matrix, expansion, classes, digest] = run.scope.loaded;
  const plan::PlanOptions& options = run.scope.options;
  const std::string directory = plan::lock_directory(matrix.file);
  TRY(const ports::FileStatus status, local->files.status(directory));
  if (status.type != ports::FileType::directory) return Decided{};
  if (refresh == Refresh::yes) {
    return fail(
        ErrorKind::usage,
        fmt::format("`--refresh` cannot change the packages in {}", quoted(directory)),
        "update the locks with `pinwheel env lock --refresh`, or ignore them with `--no-lock`");
  }
  const std::vector<plan::LockTarget> targets =
      plan::lock_targets(matrix, expansion, classes, options);
  TRY(const std::vector<plan::LockTarget> needed,
      plan::needed_locks(targets, matrix, expansion, run.scope.outline, options));
  std::vector<LockFile> locks;
  for (const plan::LockTarget& target : needed) {
    TRY(LockFile lock, read_lock(local->files, directory, target, run.facts));
    const bool counts = lock.state == LockState::current || binds(*local, target);
    if (counts) locks.push_back(std::move(lock));
  }
  const bool current = std::all_of(locks.begin(), locks.end(), [](const LockFile& lock) {
    return lock.state == LockState::current;
  });
  if (!current) {
    Error error = out_of_date(directory, matrix.file, locks);
    error.hint += ", or ignore them: `--no-lock`";
    return fail(std::move(error));
  }
  Decided decided;
  for (const LockFile& lock : locks) {
    TRY_DONE(record_lock(*local, lock, notices));
    decided.insert(env::digest(lock.target.request));
  }
  return decided;
}

namespace {

Result<std::vector<LockFile>> read_needed(ports::Files& files, const RunView& run,
                                          const ForLocks& for_locks) {
  std::vector<LockFile> locks;
  for (const plan::LockTarget& target : for_locks.needed) {
    TRY(LockFile lock, read_lock(files, for_locks.directory, target, run.facts));
    locks.push_back(std::move(lock));
  }
  return locks;
}

/// The locks without those of toolkits that cannot be resolved. A toolkit that may come from PyPI
/// is locked for machines without one, if possible.
std::vector<LockFile> lockable(const host::EnvMachine& machine, std::vector<LockFile> locks,
                               Refresh refresh, ports::Notices& notices) {
  const auto cannot = [&](const LockFile& lock) {
    if (lock.target.toolkit_of.empty() || lock.state == LockState::current) return false;
    // Conda toolkits are resolved with the builds that need them.
    if (lock.target.request.python.empty()) return false;
    const Result<host::Resolved> resolved = host::resolve(machine, lock.target.request, refresh);
    if (!resolved) notices.warn(resolved.error());
    return !resolved;
  };
  locks.erase(std::remove_if(locks.begin(), locks.end(), cannot), locks.end());
  return locks;
}

bool is_locked(const LockFile& lock, const pep::Requirement& package) {
  return lock.lock && lock.lock->resolution.find(pep::normalize_name(package.name)) != nullptr;
}

/// Whether a package of a lock is to be upgraded.
bool has_upgrade(const LockFile& lock, const std::vector<pep::Requirement>& upgraded) {
  return std::any_of(upgraded.begin(), upgraded.end(),
                     [&lock](const pep::Requirement& package) { return is_locked(lock, package); });
}

/// Every package to upgrade must be in a lock.
Done check_upgraded(const std::vector<LockFile>& locks,
                    const std::vector<pep::Requirement>& upgraded) {
  for (const pep::Requirement& package : upgraded) {
    std::vector<std::string> names;
    bool found = false;
    bool conda = false;
    for (const LockFile& lock : locks) {
      found = found || is_locked(lock, package);
      if (!lock.lock) continue;
      for (const env::PipPackage& each : lock.lock->resolution.packages) names.push_back(each.name);
      for (const env::CondaPackage& each : lock.lock->resolution.conda) {
        conda = conda || each.name == package.name;
      }
    }
    if (found) continue;
    return fail(ErrorKind::usage,
                conda ? fmt::format("{} is a conda package, and those are solved together",
                                    quoted(package.name))
                      : fmt::format("no lock has a package {}", quoted(package.name)),
                conda ? "use `--refresh`" : suggest(package.name, names));
  }
  return {};
}

/// Upgrades the packages of a current lock, and records the result.
Done upgrade_lock(const RunView& run, LockFile& lock, const std::vector<pep::Requirement>& upgraded,
                  ports::Notices& notices) {
  const env::Resolution& before = lock.lock->resolution;
  TRY(const env::Resolution now,
      upgrade_packages(run.host, run.workplace, lock.target.request, {before, upgraded}, notices));
  if (now.digest() != before.digest()) lock.state = LockState::stale;
  return {};
}

Result<LockedPackages> packages_to_write(const RunView& run, const ForLocks& for_locks,
                                         ports::Notices& notices) {
  const OpenMachine local = run.host.machine(run.workplace);
  TRY(std::vector<LockFile> locks, read_needed(local->files, run, for_locks));
  TRY_DONE(check_upgraded(locks, for_locks.upgraded));
  Decided decided;
  for (LockFile& lock : locks) {
    if (lock.state != LockState::current) continue;
    if (has_upgrade(lock, for_locks.upgraded)) {
      TRY_DONE(upgrade_lock(run, lock, for_locks.upgraded, notices));
      decided.insert(env::digest(lock.target.request));
      continue;
    }
    if (for_locks.refresh == Refresh::yes) {
      lock.state = LockState::stale;
      continue;
    }
    TRY_DONE(record_lock(*local, lock, notices));
    decided.insert(env::digest(lock.target.request));
  }
  TRY(Packages packages, resolve_packages(run, decided, for_locks.refresh, notices));
  locks = lockable(*local, std::move(locks), for_locks.refresh, notices);
  return LockedPackages{std::move(packages), std::move(locks)};
}

/// The locks with the changes that a new resolution would make. It uses a separate state directory:
/// a check must not affect the next build.
Result<std::vector<LockFile>> compared_afresh(const RunView& run, std::vector<LockFile> locks,
                                              ports::Notices& notices) {
  host::Workplace aside = run.workplace;
  aside.state /= "lock-check";
  const OpenMachine local = run.host.machine(aside);
  TRY_DONE(local->files.remove_all(aside.state));
  TRY_DONE(resolve_packages({run.host, run.scope, aside, run.facts}, {}, Refresh::yes, notices));
  for (LockFile& lock : locks) {
    if (lock.state != LockState::current) continue;
    const Result<env::Resolution> now =
        host::load_resolution(*local, env::digest(lock.target.request));
    if (!now) continue;
    lock.differences = env::package_differences(lock.lock->resolution, *now);
    if (!lock.differences.empty()) lock.state = LockState::stale;
  }
  TRY_DONE(local->files.remove_all(aside.state));
  return locks;
}

Result<LockedPackages> packages_to_check(const RunView& run, const ForLocks& for_locks,
                                         ports::Notices& notices) {
  const OpenMachine local = run.host.machine(run.workplace);
  TRY(std::vector<LockFile> locks, read_needed(local->files, run, for_locks));
  const auto optional = [&local](const LockFile& lock) {
    return lock.state == LockState::missing && !binds(*local, lock.target);
  };
  locks.erase(std::remove_if(locks.begin(), locks.end(), optional), locks.end());
  if (for_locks.refresh == Refresh::yes) {
    TRY(locks, compared_afresh(run, std::move(locks), notices));
  }
  return LockedPackages{{}, std::move(locks)};
}

}  // namespace

Result<LockedPackages> packages_for_locks(const RunView& run, const ForLocks& for_locks,
                                          ports::Notices& notices) {
  return for_locks.work == LockWork::write ? packages_to_write(run, for_locks, notices)
                                           : packages_to_check(run, for_locks, notices);
}

}  // namespace pinwheel::prepare
