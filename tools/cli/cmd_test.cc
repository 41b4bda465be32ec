#include "cli/commands.h"
#include "cli/run_stage.h"

namespace pinwheel::cli {

Result<int> cmd_test(const prepare::GlobalOptions& global, const TestCommand& options,
                     Streams& streams) {
  return run_stage(global, options.run, plan::Stage::test, "test", streams);
}

}  // namespace pinwheel::cli
