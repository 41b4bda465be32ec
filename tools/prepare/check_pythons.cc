#include "prepare/check_pythons.h"

#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

#include "base/text.h"
#include "host/provision/fetch_python.h"
#include "host/provision/machine_interpreter.h"
#include "prepare/host.h"
#include "prepare/python_use.h"
#include "prepare/workplace.h"

namespace pinwheel::prepare {
namespace {

/// "`build:cp314`, `test:cp314-cpu` and 3 more steps".
std::string in_words(std::vector<std::string> steps) {
  constexpr size_t kShown = 4;
  if (steps.size() <= kShown + 1) return quoted_list(steps);
  const size_t more = steps.size() - kShown;
  steps.resize(kShown);
  return fmt::format("{} and {}", quoted_list(steps), plural(more, "more step"));
}

void tell_missing(const PythonUse& use, const host::EnvMachine& machine, ports::Notices& notices) {
  const Result<env::Interpreter> found = host::interpreter_for(machine, use.version);
  if (!found && use.from == matrix::PythonFrom::automatic) {
    return notices.note(fmt::format("Python {} is not here yet: a run fetches it by {}\n",
                                    use.version, host::has_uv(machine) ? "uv" : "conda"));
  }
  const Done fits = found ? env::check_libc(*found, use.libc) : fail(found.error());
  if (fits) return;
  Error error = fits.error();
  error.message +=
      fmt::format("; {} stop{} without it", in_words(use.users), use.users.size() == 1 ? "s" : "");
  notices.warn(error);
}

}  // namespace

void warn_of_missing_pythons(const Host& host, const RunScope& scope, ports::Notices& notices) {
  // Settings that are wrong are the plan's to report.
  const std::vector<PythonUse> uses = python_uses(scope).value_or(std::vector<PythonUse>());
  if (uses.empty()) return;
  const Result<std::filesystem::path> cache = cache_directory(host);
  if (!cache) return notices.warn(cache.error());
  host::Workplace place = outside_run(host, notices.log());
  place.cache = *cache;
  place.state = scope.global.state_dir;
  const OpenMachine local = host.machine(place);
  for (const PythonUse& use : uses) tell_missing(use, *local, notices);
}

}  // namespace pinwheel::prepare
