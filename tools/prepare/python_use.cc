#include "prepare/python_use.h"

#include <fmt/format.h>

#include <algorithm>
#include <stop_token>
#include <utility>

#include "base/text.h"
#include "env/engine.h"
#include "env/interpreter.h"
#include "host/provision/fetch_python.h"
#include "host/provision/machine_interpreter.h"
#include "matrix/axis_value.h"
#include "matrix/variant_index.h"
#include "plan/step_id.h"
#include "prepare/host.h"
#include "prepare/stoppable.h"

namespace pinwheel::prepare {
namespace {

using Uses = std::vector<PythonUse>;

/// Notes that `user` needs the variant's Python.
Done add_use(const matrix::Matrix& matrix, const matrix::Variant& variant, const std::string& user,
             Uses& uses) {
  const std::string& version = variant.get("python");
  if (version.empty()) return {};
  TRY(matrix::EnvironmentSettings environment, matrix::own_environment(matrix, variant));
  PythonUse use{version, variant.get(matrix::kLibcAxis), environment.python,
                std::move(environment.conda.channels)};
  const auto known = std::find_if(uses.begin(), uses.end(), [&use](const PythonUse& other) {
    return other.version == use.version && other.libc == use.libc && other.from == use.from;
  });
  if (known != uses.end()) {
    known->users.push_back(user);
    return {};
  }
  use.users.push_back(user);
  uses.push_back(std::move(use));
  return {};
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

}  // namespace

Result<Uses> python_uses(const Loaded& loaded) {
  Uses uses;
  for (const matrix::Variant& variant : loaded.expansion.variants) {
    TRY_DONE(add_use(loaded.matrix, variant, variant.id, uses));
  }
  return uses;
}

Result<Uses> python_uses(const RunScope& scope) {
  const bool conda = scope.levels.python == env::PythonSource::conda;
  if (conda || env::uses_containers(scope.levels.engine)) return Uses{};
  const matrix::Matrix& matrix = scope.loaded.matrix;
  const matrix::VariantIndex variants(scope.loaded.expansion.variants);
  Uses uses;
  for (const plan::BuildGroup& group : scope.outline.builds) {
    const auto builder = variants.find(group.cls.representative);
    if (builder) TRY_DONE(add_use(matrix, **builder, plan::build_id(group.cls.id), uses));
  }
  for (const matrix::Variant& variant : scope.outline.variants) {
    TRY_DONE(add_use(matrix, variant, plan::test_id(variant.id), uses));
  }
  std::sort(uses.begin(), uses.end(), [](const PythonUse& left, const PythonUse& right) {
    const int order = matrix::compare_versions(left.version, right.version);
    return order != 0 ? order < 0 : left.libc < right.libc;
  });
  return uses;
}

Done fetch_missing_pythons(const Host& host, const RunScope& scope,
                           const host::Workplace& workplace, ports::Notices& notices) {
  TRY(const Uses uses, python_uses(scope));
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

}  // namespace pinwheel::prepare
