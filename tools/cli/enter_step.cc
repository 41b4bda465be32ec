#include "cli/enter_step.h"

#include <fmt/format.h>
#include <unistd.h>

#include "base/parallel.h"
#include "cli/workplace.h"
#include "env/container.h"
#include "host/steps/visit.h"
#include "host/system/files.h"
#include "host/system/scratch_directory.h"

namespace pinwheel::cli {
namespace {

constexpr int kSignalled = 128;

}  // namespace

Result<int> enter_step(const host::Workplace& given, const StepVisit& visit, Streams& streams) {
  const host::Workplace workplace = with_path_mode(given);
  host::LocalFiles files;
  const std::string name = fmt::format("{}-{}", env::container_name(visit.step.id), ::getpid());
  TRY(const host::ScratchDirectory scratch,
      host::ScratchDirectory::make(files, workplace.state / "visits" / name));
  run::Attempt attempt;
  attempt.step = &visit.step;
  attempt.key = visit.step.key;
  attempt.cores = static_cast<int>(usable_processors());
  attempt.scratch = scratch.path();
  attempt.log = scratch.path() / "visit.log";
  attempt.needs = visit.needs;
  const host::Visit what{visit.argv, visit.title,
                         [&streams](std::string_view text) { streams.note(text); }};
  TRY(const ports::Exit exit, host::visit(workplace, attempt, what));
  return exit.signal != 0 ? kSignalled + exit.signal : exit.code;
}

}  // namespace pinwheel::cli
