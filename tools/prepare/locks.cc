#include "prepare/locks.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "env/made_toolkit.h"
#include "env/patchelf.h"
#include "env/pypi_toolkit.h"
#include "env/toolkit.h"
#include "host/provision/env_resolve.h"
#include "host/provision/machine_interpreter.h"
#include "host/provision/toolkit.h"
#include "plan/environments.h"
#include "prepare/host.h"

namespace pinwheel::prepare {
namespace {

namespace fs = std::filesystem;

/// The packages of a lock as recorded here, for the interpreter of this machine.
Result<env::Resolution> locked_resolution(const host::EnvMachine& machine, const LockFile& lock,
                                          ports::Notices& notices) {
  const env::Request& request = lock.target.request;
  env::Resolution resolution = lock.lock->resolution;
  // The lock has the index without credentials; the matrix has them.
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

env::LockedImage locked_image(const env::ContainerImage& image) {
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
  if (env::asks_for_packages(build) || !build.container.base.empty()) return {};
  for (const env::Toolkit& each : host::list_toolkits(machine)) {
    if (each.name == env::toolkit_name(build.toolkit)) return each.release;
  }
  return {};
}

bool binds(const host::EnvMachine& machine, const plan::LockTarget& target) {
  if (target.toolkit_of.empty()) return true;
  return std::any_of(target.toolkit_of.begin(), target.toolkit_of.end(),
                     [&](const env::Request& build) {
                       if (build.toolkit_from != matrix::ToolkitFrom::automatic) return true;
                       // The contents of an image are known only when it runs; its own key covers
                       // them.
                       if (!build.container.base.empty()) return false;
                       return env::comes_from_pypi(build, host::list_toolkits(machine));
                     });
}

Done record_lock(const host::EnvMachine& machine, const LockFile& lock, ports::Notices& notices) {
  const std::string request = env::digest(lock.target.request);
  TRY(const env::Resolution resolution, locked_resolution(machine, lock, notices));
  const Result<env::Resolution> known = host::load_resolution(machine, request);
  // A recorded resolution has its date; the same packages keep it.
  if (known && known->digest() == resolution.digest()) return {};
  return host::record_resolution(machine, request, env::to_json(resolution));
}

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

}  // namespace pinwheel::prepare
