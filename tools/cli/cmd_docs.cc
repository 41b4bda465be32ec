#include "cli/commands.h"
#include "cli/parser.h"
#include "matrix/json_schema.h"
#include "prepare/host.h"
#include "report/documentation.h"
#include "report/shipped_documents.h"

namespace pinwheel::cli {

Result<int> cmd_docs(const prepare::Host& /*host*/, const prepare::GlobalOptions& /*global*/,
                     const DocsOptions& options, Streams& streams) {
  TRY(const std::string text,
      report::documentation(report::shipped_documents(), options.subject, streams.data_columns()));
  streams.file(report::fit_markdown(text, streams.data_columns()));
  return 0;
}

Result<int> cmd_schema(const prepare::Host& /*host*/, const prepare::GlobalOptions& /*global*/,
                       const SchemaOptions& /*options*/, Streams& streams) {
  streams.file(matrix::json_schema());
  return 0;
}

Result<int> cmd_completion(const prepare::Host& /*host*/, const prepare::GlobalOptions& /*global*/,
                           const CompletionOptions& options, Streams& streams) {
  TRY(const std::string script, completion_script(options.shell));
  streams.file(script);
  return 0;
}

}  // namespace pinwheel::cli
