#include "cli/commands.h"
#include "cli/gather.h"
#include "cli/load.h"
#include "host/files.h"
#include "host/git.h"
#include "report/explanation.h"

namespace pinwheel::cli {

Result<int> cmd_explain(const GlobalOptions& /*global*/, const ExplainOptions& options,
                        Streams& streams) {
  host::LocalFiles files;
  host::LibGit2 git;
  TRY(const MatrixChoice choice, choose_matrix(files, options.arguments));
  if (choice.globs.size() != 1) {
    return fail(ErrorKind::usage, "`explain` takes one id",
                "`pinwheel plan --format ids` lists them; `build:CLASS` names a build");
  }
  TRY(const Loaded loaded, load_matrix(files, choice.path, streams, Warnings::tell));
  TRY(const Facts facts, gather_version_facts(files, git, loaded, options.channel, {}));
  const plan::Outline whole = plan::make_outline(loaded.classes, loaded.expansion.variants);
  TRY(const plan::Namings namings, name_builds(loaded, whole, facts));
  TRY(const std::string text,
      report::explain({loaded.matrix, loaded.expansion, loaded.classes, namings}, choice.globs[0]));
  streams.data(text);
  return 0;
}

}  // namespace pinwheel::cli
