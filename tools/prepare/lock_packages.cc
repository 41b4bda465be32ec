#include "prepare/lock_packages.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "env/lock_difference.h"
#include "env/request.h"
#include "host/provision/env_resolve.h"
#include "pep/name.h"
#include "prepare/host.h"

namespace pinwheel::prepare {
namespace {

Result<std::vector<LockFile>> read_needed(ports::Files& files, const RunView& run,
                                          const ForLocks& what) {
  std::vector<LockFile> locks;
  for (const plan::LockTarget& target : what.needed) {
    TRY(LockFile lock, read_lock(files, what.directory, target, run.facts));
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

Result<LockedPackages> packages_to_write(const RunView& run, const ForLocks& what,
                                         ports::Notices& notices) {
  const OpenMachine local = run.host.machine(run.workplace);
  TRY(std::vector<LockFile> locks, read_needed(local->files, run, what));
  TRY_DONE(check_upgraded(locks, what.upgraded));
  Decided decided;
  for (LockFile& lock : locks) {
    if (lock.state != LockState::current) continue;
    if (has_upgrade(lock, what.upgraded)) {
      TRY_DONE(upgrade_lock(run, lock, what.upgraded, notices));
      decided.insert(env::digest(lock.target.request));
      continue;
    }
    if (what.refresh == Refresh::yes) {
      lock.state = LockState::stale;
      continue;
    }
    TRY_DONE(record_lock(*local, lock, notices));
    decided.insert(env::digest(lock.target.request));
  }
  TRY(Packages packages, resolve_packages(run, decided, what.refresh, notices));
  locks = lockable(*local, std::move(locks), what.refresh, notices);
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

Result<LockedPackages> packages_to_check(const RunView& run, const ForLocks& what,
                                         ports::Notices& notices) {
  const OpenMachine local = run.host.machine(run.workplace);
  TRY(std::vector<LockFile> locks, read_needed(local->files, run, what));
  const auto optional = [&local](const LockFile& lock) {
    return lock.state == LockState::missing && !binds(*local, lock.target);
  };
  locks.erase(std::remove_if(locks.begin(), locks.end(), optional), locks.end());
  if (what.refresh == Refresh::yes) {
    TRY(locks, compared_afresh(run, std::move(locks), notices));
  }
  return LockedPackages{{}, std::move(locks)};
}

}  // namespace

Result<LockedPackages> packages_for_locks(const RunView& run, const ForLocks& what,
                                          ports::Notices& notices) {
  return what.work == LockWork::write ? packages_to_write(run, what, notices)
                                      : packages_to_check(run, what, notices);
}

}  // namespace pinwheel::prepare
