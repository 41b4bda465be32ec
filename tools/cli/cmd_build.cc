#include "cli/commands.h"
#include "cli/run_stage.h"
#include "prepare/host.h"

namespace pinwheel::cli {

Result<int> cmd_build(const prepare::Host& host, const prepare::GlobalOptions& global,
                      const BuildCommand& options, Streams& streams) {
  return run_stage(host, global, options.run, plan::Stage::build, "build", streams);
}

}  // namespace pinwheel::cli
