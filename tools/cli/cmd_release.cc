#include "cli/commands.h"
#include "cli/run_stage.h"
#include "prepare/host.h"

namespace pinwheel::cli {

Result<int> cmd_release(const prepare::Host& host, const prepare::GlobalOptions& global,
                        const ReleaseCommand& options, Streams& streams) {
  return run_stage(host, global, options.run, plan::Stage::publish, "release", streams);
}

}  // namespace pinwheel::cli
