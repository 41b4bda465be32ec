#pragma once
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "cli/completion.h"
#include "cli/effective_values.h"
#include "cli/options.h"

namespace pinwheel::cli {

struct BuildCommand {
  prepare::RunOptions run;
};
struct TestCommand {
  prepare::RunOptions run;
};
struct ReleaseCommand {
  prepare::RunOptions run;
};
struct StatusCommand {
  prepare::RunOptions run;
};
/// Requested text (`--help`, `--version`), which goes to stdout.
struct PrintText {
  std::string text;
};

using CommandOptions =
    std::variant<PrintText, PlanCommand, ExplainOptions, BuildCommand, TestCommand, ReleaseCommand,
                 StatusCommand, VersionOptions, InitOptions, PublishOptions, EnvOptions,
                 EnvLockOptions, EnvShellOptions, EnvExportOptions, CiGenerateOptions,
                 CiCheckOptions, CiExplainOptions, InspectOptions, CompatOptions, IndexCheckOptions,
                 IndexYankOptions, IndexPruneOptions, StoreCommandOptions, TorchExportsOptions,
                 FinishOptions, RepairOptions, ReproduceOptions, LogsOptions, ReportOptions,
                 DoctorOptions, SchemaOptions, DocsOptions, CompleteOptions, CompletionOptions>;

struct ParsedCommandLine {
  prepare::GlobalOptions global;
  CommandOptions command;
  std::vector<EffectiveValue> effective;  ///< for `--verbose`
};

/// Parses argv (without the program's name). The help fits a terminal of that many columns; 0 is
/// unknown. Errors are `usage`, with the nearest command or flag.
Result<ParsedCommandLine> parse_command_line(const std::vector<std::string>& arguments,
                                             size_t columns);

/// The completion of a command line.
CompletionRequest completion_request(const std::string& line);

/// A completion script or the man page, generated from the same parser. `shell` is bash, zsh, fish
/// or man.
Result<std::string> completion_script(const std::string& shell);

}  // namespace pinwheel::cli
