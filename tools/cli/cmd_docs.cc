#include "cli/commands.h"
#include "prepare/host.h"
#include "report/documentation.h"
#include "report/fit_markdown.h"
#include "report/shipped_documents.h"

namespace pinwheel::cli {

Result<int> cmd_docs(const prepare::Host& /*host*/, const prepare::GlobalOptions& /*global*/,
                     const DocsOptions& options, Streams& streams) {
  TRY(const std::string text,
      report::documentation(report::shipped_documents(), options.subject, streams.data_columns()));
  streams.file(report::fit_markdown(text, streams.data_columns()));
  return 0;
}

}  // namespace pinwheel::cli
