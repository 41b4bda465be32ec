#include "cli/freeze_plan.h"

#include <fmt/format.h>

#include "base/text.h"
#include "cli/frozen_run.h"
#include "cli/prepare_run.h"
#include "host/git/git.h"
#include "host/system/named_output.h"

namespace pinwheel::cli {

Done freeze_plan(ports::Files& files, const RunScope& scope, const PackageSource& source,
                 const std::string& out, Streams& streams) {
  host::LibGit2 git;
  TRY(const GatheredRun run, gather_run(scope, source, streams));
  TRY(const plan::FrozenPlan frozen, freeze(files, git, run));
  const std::string text = plan::to_json(frozen);
  if (out == kStdout) {
    streams.json(text);
    return {};
  }
  TRY_DONE(host::write_named_output(files, out, text));
  streams.note(fmt::format("froze {} into {}\n", plan::summary_line(scope.outline), quoted(out)));
  return {};
}

}  // namespace pinwheel::cli
