#include <fmt/format.h>

#include "cli/frozen_run.h"
#include "cli/gather.h"
#include "cli/levels.h"
#include "cli/prepare_environments.h"
#include "plan/frozen.h"

namespace pinwheel::cli {

Done freeze_plan(ports::Files& files, const GlobalOptions& global, const FreezeRequest& request,
                 Facts facts, Streams& streams) {
  const auto& [out, loaded, outline, levels, locks] = request;
  TRY(host::Workplace workplace, make_workplace(global, loaded));
  TRY_DONE(gather_build_facts(loaded, workplace, facts));
  TRY(const plan::PlanOptions options, plan_options(plan::Stage::publish, facts.targets, levels));
  const Undertaking whole{loaded, outline, options};
  TRY_DONE(
      prepare_environments(whole, {levels, TestImages::prepare, locks}, workplace, streams, facts));
  TRY(const plan::FrozenPlan frozen, freeze(files, whole, facts, workplace, levels));
  TRY_DONE(files.write(out, plan::to_json(frozen)));
  streams.note(fmt::format("froze {} into `{}`\n", plan::summary_line(outline), out));
  return {};
}

}  // namespace pinwheel::cli
