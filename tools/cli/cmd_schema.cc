#include "cli/commands.h"
#include "matrix/json_schema.h"
#include "prepare/host.h"

namespace pinwheel::cli {

Result<int> cmd_schema(const prepare::Host& /*host*/, const prepare::GlobalOptions& /*global*/,
                       const SchemaOptions& /*options*/, Streams& streams) {
  streams.file(matrix::json_schema());
  return 0;
}

}  // namespace pinwheel::cli
