#include <csignal>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/parser.h"
#include "cli/streams.h"

namespace pinwheel::cli {
namespace {

/// Calls the parsed command; the only place that knows all commands.
struct Dispatch {
  const GlobalOptions& global;
  Streams& streams;

  Result<int> operator()(const PrintText& print) const {
    streams.data(print.text);
    return 0;
  }
  Result<int> operator()(const PlanCommand& o) const { return cmd_plan(global, o, streams); }
  Result<int> operator()(const ExplainOptions& o) const { return cmd_explain(global, o, streams); }
  Result<int> operator()(const BuildCommand& o) const { return cmd_build(global, o, streams); }
  Result<int> operator()(const TestCommand& o) const { return cmd_test(global, o, streams); }
  Result<int> operator()(const ReleaseCommand& o) const { return cmd_release(global, o, streams); }
  Result<int> operator()(const VersionOptions& o) const { return cmd_version(global, o, streams); }
  Result<int> operator()(const InitOptions& o) const { return cmd_init(global, o, streams); }
  Result<int> operator()(const PublishOptions& o) const { return cmd_publish(global, o, streams); }
  Result<int> operator()(const EnvOptions& o) const { return cmd_env(global, o, streams); }
  Result<int> operator()(const EnvLockOptions& o) const { return cmd_env_lock(global, o, streams); }
  Result<int> operator()(const EnvShellOptions& o) const {
    return cmd_env_shell(global, o, streams);
  }
  Result<int> operator()(const EnvExportOptions& o) const {
    return cmd_env_export(global, o, streams);
  }
  Result<int> operator()(const InspectOptions& o) const { return cmd_inspect(global, o, streams); }
  Result<int> operator()(const TorchExportsOptions& o) const {
    return cmd_torch_exports(global, o, streams);
  }
  Result<int> operator()(const CompatOptions& o) const { return cmd_compat(global, o, streams); }
  Result<int> operator()(const FinishOptions& o) const { return cmd_finish(global, o, streams); }
  Result<int> operator()(const RepairOptions& o) const { return cmd_repair(global, o, streams); }
  Result<int> operator()(const ReproduceOptions& o) const {
    return cmd_reproduce(global, o, streams);
  }
  Result<int> operator()(const LogsOptions& o) const { return cmd_logs(global, o, streams); }
  Result<int> operator()(const DoctorOptions& o) const { return cmd_doctor(global, o, streams); }
  Result<int> operator()(const CompletionOptions& o) const {
    return cmd_completion(global, o, streams);
  }
};

int run(const std::vector<std::string>& arguments) {
  // A reader that exits (`pinwheel plan | head`) causes a failed write instead of a signal.
  std::signal(SIGPIPE, SIG_IGN);
  const Result<ParsedCommandLine> parsed = parse_command_line(arguments);
  if (!parsed) {
    Streams(GlobalOptions{}).error(parsed.error());
    return exit_code(parsed.error().kind);
  }
  Streams streams(parsed->global);
  if (parsed->global.verbosity == Verbosity::verbose) streams.note(to_text(parsed->effective));
  const Result<int> code = std::visit(Dispatch{parsed->global, streams}, parsed->command);
  const std::optional<Error> failure = code ? streams.lost_data() : code.error();
  if (!failure) return *code;
  streams.error(*failure);
  return exit_code(failure->kind);
}

}  // namespace
}  // namespace pinwheel::cli

int main(int argc, char** argv) {
  try {
    return pinwheel::cli::run({argv + 1, argv + argc});
  } catch (const std::exception& unexpected) {
    pinwheel::cli::Streams streams{pinwheel::cli::GlobalOptions{}};
    streams.error({pinwheel::ErrorKind::internal, std::string("unexpected: ") + unexpected.what(),
                   std::nullopt,
                   "this is a bug in pinwheel; please report it with the command line"});
    return pinwheel::exit_code(pinwheel::ErrorKind::internal);
  }
}
