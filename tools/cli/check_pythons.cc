#include "cli/check_pythons.h"

#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "cli/workplace.h"
#include "env/engine.h"
#include "host/machine/local_machine.h"
#include "host/provision/machine_interpreter.h"
#include "matrix/variant_index.h"

namespace pinwheel::cli {
namespace {

/// Python -> the steps that need it: the builds of the selection, then its tests.
std::map<std::string, std::vector<std::string>> needed_pythons(const RunScope& scope) {
  const matrix::VariantIndex variants(scope.loaded.expansion.variants);
  std::map<std::string, std::vector<std::string>> needed;
  for (const plan::BuildGroup& group : scope.outline.builds) {
    const auto builder = variants.find(group.cls.representative);
    if (builder) needed[(*builder)->get("python")].push_back("build:" + group.cls.id);
  }
  for (const matrix::Variant& variant : scope.outline.variants) {
    needed[variant.get("python")].push_back("test:" + variant.id);
  }
  needed.erase("");
  return needed;
}

/// "`build:cp314`, `test:cp314-cpu` and 3 more steps".
std::string in_words(std::vector<std::string> steps) {
  constexpr size_t kShown = 4;
  if (steps.size() <= kShown + 1) return quoted_list(steps);
  const size_t more = steps.size() - kShown;
  steps.resize(kShown);
  return fmt::format("{} and {}", quoted_list(steps), plural(more, "more step"));
}

}  // namespace

void warn_of_missing_pythons(const RunScope& scope, Streams& streams) {
  const bool conda = scope.levels.python == env::PythonSource::conda;
  if (conda || env::uses_containers(scope.levels.engine)) return;
  const std::map<std::string, std::string> variables = user_variables();
  const Result<std::filesystem::path> cache = cache_directory(variables);
  if (!cache) return streams.warn(cache.error());
  const host::LocalMachine local(variables, *cache, scope.global.state_dir, {}, streams.log());
  for (auto& [python, steps] : needed_pythons(scope)) {
    const Result<env::Interpreter> found = host::interpreter_for(local.machine, python);
    if (found) continue;
    Error error = found.error();
    error.message +=
        fmt::format("; {} stop{} without it", in_words(steps), steps.size() == 1 ? "s" : "");
    streams.warn(error);
  }
}

}  // namespace pinwheel::cli
