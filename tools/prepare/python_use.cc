#include "prepare/python_use.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <stop_token>
#include <utility>

#include "base/text.h"
#include "container/engine.h"
#include "env/interpreter.h"
#include "host/provision/fetch_python.h"
#include "host/provision/interpreters.h"
#include "matrix/axis_value.h"
#include "matrix/shared_settings.h"
#include "matrix/variant.h"
#include "plan/step_id.h"
#include "prepare/host.h"
#include "prepare/stoppable.h"
#include "prepare/workplace.h"

namespace pinwheel::prepare {
namespace {

using Uses = std::vector<PythonUse>;

/// Notes that a variant needs its Python. The caller adds the user to the result, which is null if
/// the variant has none.
Result<PythonUse*> add_use(matrix::SharedSettings& settings, const matrix::Variant& variant,
                           Uses& uses) {
  const std::string& version = variant.get("python");
  if (version.empty()) return nullptr;
  const std::string& libc = variant.get(matrix::kLibcAxis);
  TRY(const auto environment, settings.own_environment_of(variant));
  const auto known = std::find_if(uses.begin(), uses.end(), [&](const PythonUse& other) {
    return other.version == version && other.libc == libc && other.from == environment->python;
  });
  if (known != uses.end()) return &*known;
  uses.push_back({version, libc, environment->python, environment->conda.channels, {}});
  return &uses.back();
}

/// Whether to list the users of each Python, which may be tens of thousands of steps.
enum class UserIds { list, omit };

Result<Uses> uses_of(const RunScope& scope, UserIds ids) {
  const bool conda = scope.levels.python == env::PythonSource::conda;
  if (conda || container::uses_containers(scope.levels.engine)) return Uses{};
  matrix::SharedSettings settings(scope.loaded.matrix);
  const matrix::VariantIndex variants(scope.loaded.expansion.variants);
  const bool listed = ids == UserIds::list;
  Uses uses;
  for (const plan::BuildGroup& group : scope.outline.builds) {
    const auto builder = variants.find(group.cls.representative);
    if (!builder) continue;
    TRY(PythonUse* const use, add_use(settings, **builder, uses));
    if (listed && use != nullptr) use->users.push_back(plan::build_id(group.cls.id));
  }
  for (const matrix::Variant& variant : scope.outline.variants) {
    TRY(PythonUse* const use, add_use(settings, variant, uses));
    if (listed && use != nullptr) use->users.push_back(plan::test_id(variant.id));
  }
  std::sort(uses.begin(), uses.end(), [](const PythonUse& left, const PythonUse& right) {
    const int order = matrix::compare_versions(left.version, right.version);
    return order != 0 ? order < 0 : left.libc < right.libc;
  });
  return uses;
}

Done fetch(const PythonUse& use, const host::EnvMachine& machine, ports::Notices& notices) {
  if (use.from != matrix::PythonFrom::automatic) return {};
  if (host::interpreter_for(machine, use.version)) return {};
  notices.note(fmt::format("fetching Python {} by {}\n", use.version,
                           host::has_uv(machine) ? "uv" : "conda"));
  TRY(const env::Interpreter found, host::fetch_python(machine, use.version, use.channels));
  notices.note(fmt::format("Python {} is in {}\n", env::full_version(found), quoted(found.path)));
  return {};
}

/// "`build:cp314`, `test:cp314-cpu` and 3 more steps".
std::string in_words(std::vector<std::string> steps) {
  constexpr size_t kShown = 4;
  if (steps.size() <= kShown + 1) return quoted_list(steps);
  const size_t more = steps.size() - kShown;
  steps.resize(kShown);
  return fmt::format("{} and {}", quoted_list(steps), plural(more, "more step"));
}

/// `users_of` returns the users of the Python.
void warn_of_missing_python(const PythonUse& use, const host::EnvMachine& machine,
                            ports::Notices& notices,
                            const std::function<std::vector<std::string>()>& users_of) {
  const Result<env::Interpreter> found = host::interpreter_for(machine, use.version);
  if (!found && use.from == matrix::PythonFrom::automatic) {
    return notices.note(fmt::format("Python {} is not here yet: a run fetches it by {}\n",
                                    use.version, host::has_uv(machine) ? "uv" : "conda"));
  }
  const Done fits = found ? env::check_libc(*found, use.libc) : fail(found.error());
  if (fits) return;
  Error error = fits.error();
  const std::vector<std::string> users = users_of();
  error.message +=
      fmt::format("; {} stop{} without it", in_words(users), users.size() == 1 ? "s" : "");
  notices.warn(error);
}

}  // namespace

Result<Uses> python_uses(const Loaded& loaded) {
  Uses uses;
  matrix::SharedSettings settings(loaded.matrix);
  for (const matrix::Variant& variant : loaded.expansion.variants) {
    TRY(PythonUse* const use, add_use(settings, variant, uses));
    if (use != nullptr) use->users.push_back(variant.id);
  }
  return uses;
}

Result<Uses> python_uses(const RunScope& scope) {
  return uses_of(scope, UserIds::list);
}

Done fetch_missing_pythons(const Host& host, const RunScope& scope,
                           const host::Workplace& workplace, ports::Notices& notices) {
  TRY(const Uses uses, uses_of(scope, UserIds::omit));
  const bool none = std::none_of(uses.begin(), uses.end(), [](const PythonUse& use) {
    return use.from == matrix::PythonFrom::automatic;
  });
  if (none) return {};
  const Result<bool> done = stoppable<bool>([&](const std::stop_token& stop) -> Result<bool> {
    host::Workplace stopping = workplace;
    stopping.stop = stop;
    const OpenMachine local = host.machine(stopping);
    for (const PythonUse& use : uses) TRY_DONE(fetch(use, *local, notices));
    return true;
  });
  return done ? Done() : fail(done.error());
}

void warn_of_missing_pythons(const Host& host, const RunScope& scope, ports::Notices& notices) {
  // The plan reports invalid settings.
  const Uses uses = uses_of(scope, UserIds::omit).value_or(Uses());
  if (uses.empty()) return;
  const Result<std::filesystem::path> cache = cache_directory(host);
  if (!cache) return notices.warn(cache.error());
  host::Workplace place = outside_run(host, notices.log());
  place.cache = *cache;
  place.state = scope.global.state_dir;
  const OpenMachine local = host.machine(place);
  for (size_t i = 0; i < uses.size(); ++i) {
    warn_of_missing_python(uses[i], *local, notices, [&scope, i] {
      const Uses listed = uses_of(scope, UserIds::list).value_or(Uses());
      return listed.at(i).users;
    });
  }
}

}  // namespace pinwheel::prepare
