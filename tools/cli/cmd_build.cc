#include "cli/commands.h"
#include "cli/run_stage.h"

namespace pinwheel::cli {

Result<int> cmd_build(const prepare::GlobalOptions& global, const BuildCommand& options,
                      Streams& streams) {
  return run_stage(global, options.run, plan::Stage::build, "build", streams);
}

}  // namespace pinwheel::cli
