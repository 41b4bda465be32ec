#include "cli/commands.h"
#include "cli/run_stage.h"
#include "prepare/host.h"

namespace pinwheel::cli {

Result<int> cmd_test(const prepare::Host& host, const prepare::GlobalOptions& global,
                     const TestCommand& options, Streams& streams) {
  return run_stage(host, global, options.run, plan::Stage::test, "test", streams);
}

}  // namespace pinwheel::cli
