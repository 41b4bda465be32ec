#include <fmt/format.h>

#include "cli/frozen_run.h"
#include "cli/gather.h"
#include "cli/levels.h"
#include "cli/locks.h"
#include "cli/prepare_containers.h"
#include "cli/stoppable.h"
#include "plan/frozen.h"

namespace pinwheel::cli {

Done freeze_plan(ports::Files& files, const GlobalOptions& global, const FreezeRequest& request,
                 Facts facts, Streams& streams) {
  const auto& [out, loaded, outline, levels, locks] = request;
  TRY(host::Workplace workplace, make_workplace(global, loaded));
  TRY_DONE(gather_build_facts(loaded, workplace, facts));
  TRY(const plan::PlanOptions options, plan_options(plan::Stage::publish, facts.targets, levels));
  const Undertaking whole{loaded, outline, options};
  const auto prepare = [&]() -> Done {
    TRY_DONE(
        prepare_containers(whole, request.levels, TestImages::prepare, workplace, streams, facts));
    if (request.locks == UseLocks::yes) {
      TRY_DONE(apply_locks(whole, workplace, Refresh::no, streams, facts));
    }
    return gather_resolutions(whole, workplace, Refresh::no, streams, facts);
  };
  TRY_DONE(stoppable(workplace, prepare));
  TRY(const plan::FrozenPlan frozen, freeze(files, whole, facts, workplace, levels));
  TRY_DONE(files.write(out, plan::to_json(frozen)));
  streams.note(fmt::format("froze {} into `{}`\n", plan::summary_line(outline), out));
  return {};
}

}  // namespace pinwheel::cli
