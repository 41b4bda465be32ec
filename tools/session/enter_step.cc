#include "session/enter_step.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "base/parallel.h"
#include "container/container.h"
#include "host/steps/step_shell.h"
#include "host/system/scratch_directory.h"
#include "prepare/budget.h"
#include "prepare/host.h"
#include "prepare/workplace.h"
#include "session/step_secrets.h"

namespace pinwheel::session {
namespace {

constexpr int kSignaled = 128;

}  // namespace

Result<int> enter_step(const prepare::Host& host, const host::Workplace& given,
                       const StepEntry& entry, Console& console) {
  TRY(const host::Workplace known, with_secrets(given, {&entry.step}, console));
  const host::Workplace workplace = prepare::with_path_mode(host, known);
  const std::string name =
      fmt::format("{}-{}", container::container_name(entry.step.id), ::getpid());
  TRY(const host::ScratchDirectory scratch,
      host::ScratchDirectory::make(host.files, workplace.state / "shells" / name));
  run::Attempt attempt;
  attempt.step = &entry.step;
  attempt.key = entry.step.key;
  attempt.cores =
      std::min(static_cast<int>(usable_processors()), prepare::most_jobs(host.variables));
  attempt.scratch = scratch.path();
  attempt.log = scratch.path() / "shell.log";
  attempt.needs = entry.needs;
  const host::StepShell shell{entry.argv, entry.title,
                              [&console](std::string_view text) { console.note(text); }};
  TRY(const ports::Exit exit, host::run_in_step(workplace, attempt, shell));
  return exit.signal != 0 ? kSignaled + exit.signal : exit.code;
}

}  // namespace pinwheel::session
