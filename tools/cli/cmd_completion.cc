#include "cli/commands.h"
#include "cli/parser.h"
#include "prepare/host.h"

namespace pinwheel::cli {

Result<int> cmd_completion(const prepare::Host& /*host*/, const prepare::GlobalOptions& /*global*/,
                           const CompletionOptions& options, Streams& streams) {
  TRY(const std::string script, completion_script(options.shell));
  streams.file(script);
  return 0;
}

}  // namespace pinwheel::cli
