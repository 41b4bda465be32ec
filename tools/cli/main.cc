#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <exception>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/mask.h"
#include "base/visible_text.h"
#include "cli/commands.h"
#include "cli/parser.h"
#include "cli/streams.h"
#include "cli/terminal_columns.h"
#include "host/log/masked_log.h"
#include "host/system/secluded.h"
#include "host/system/system_error.h"
#include "prepare/product.h"
#include "prepare/transfer.h"
#include "prepare/workplace.h"
#include "report/failure_cause.h"

namespace pinwheel::cli {
namespace {

/// Calls the parsed command; the only place that knows all commands.
struct Dispatch {
  const prepare::GlobalOptions& global;
  Streams& streams;

  Result<int> operator()(const PrintText& print) const {
    streams.file(print.text);
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
  Result<int> operator()(const CiGenerateOptions& o) const {
    return cmd_ci_generate(global, o, streams);
  }
  Result<int> operator()(const CiCheckOptions& o) const { return cmd_ci_check(global, o, streams); }
  Result<int> operator()(const CiExplainOptions& o) const {
    return cmd_ci_explain(global, o, streams);
  }
  Result<int> operator()(const InspectOptions& o) const { return cmd_inspect(global, o, streams); }
  Result<int> operator()(const StoreCommandOptions& o) const {
    return cmd_store(global, o, streams);
  }
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
  Result<int> operator()(const CompleteOptions& o) const {
    return cmd_complete(global, o, streams);
  }
  Result<int> operator()(const SchemaOptions& o) const { return cmd_schema(global, o, streams); }
  Result<int> operator()(const DocsOptions& o) const { return cmd_docs(global, o, streams); }
  Result<int> operator()(const CompletionOptions& o) const {
    return cmd_completion(global, o, streams);
  }
};

/// The beginning of each log. Arguments are masked like those of other programs.
void log_command(ports::Log& log, const ParsedCommandLine& parsed,
                 const std::vector<std::string>& arguments) {
  std::error_code gone;
  log.write({ports::LogLevel::info,
             "command",
             {{"version", std::string(prepare::kPinwheelVersion)},
              {"arguments", mask_arguments(arguments)},
              {"directory", std::filesystem::current_path(gone).string()}}});
  for (const EffectiveValue& value : parsed.effective) {
    log.write({ports::LogLevel::debug,
               "option",
               {{"option", value.option}, {"value", value.value}, {"origin", value.origin}}});
  }
}

/// Names the log of a failed command, and says if it is incomplete.
void end_log(const prepare::GlobalOptions& global, int code, Streams& streams) {
  const Diagnostics& diagnostics = streams.diagnostics();
  streams.log()->write({ports::LogLevel::info, "command_ended", {{"exit", int64_t{code}}}});
  if (const std::string trouble = diagnostics.trouble(); !trouble.empty()) {
    streams.warn({ErrorKind::environment, "the log is incomplete: " + trouble});
  }
  if (code == 0 || diagnostics.file().empty()) return;
  const std::string file = diagnostics.file().string();
  if (global.log_format != prepare::LogFormat::json) {
    streams.note(fmt::format("log of this command: {}\n", visible(file)));
  } else if (global.verbosity != prepare::Verbosity::quiet) {
    // A name that is not UTF-8 may not change the exit code.
    const nlohmann::json event = {{"event", "log"}, {"file", file}};
    streams.json_line(event.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  }
}

int run(const std::vector<std::string>& arguments) {
  // A reader that exits (`pinwheel plan | head`) causes a failed write instead of a signal.
  std::signal(SIGPIPE, SIG_IGN);
  const Result<ParsedCommandLine> parsed =
      parse_command_line(arguments, help_columns(STDOUT_FILENO));
  if (!parsed) {
    Streams streams{prepare::GlobalOptions{}};
    for (const Secret& secret : host::secrets_of(arguments)) streams.hide(secret);
    streams.error(parsed.error());
    return exit_code(parsed.error().kind);
  }
  if (const Done sound = prepare::check_transfer_variables(prepare::user_variables()); !sound) {
    Streams(parsed->global).error(sound.error());
    return exit_code(sound.error().kind);
  }
  const Result<std::shared_ptr<Diagnostics>> diagnostics =
      Diagnostics::open(parsed->global, prepare::user_variables());
  if (!diagnostics) {
    Streams(parsed->global).error(diagnostics.error());
    return exit_code(diagnostics.error().kind);
  }
  Streams streams(parsed->global, *diagnostics);
  for (const Secret& secret : host::credentials_in(prepare::user_variables())) streams.hide(secret);
  for (const Secret& secret : host::secrets_of(arguments)) streams.hide(secret);
  for (const Secret& secret : host::secrets_in(prepare::user_variables()))
    streams.hide_in_messages(secret);
  log_command(*streams.log(), *parsed, arguments);
  const bool json = parsed->global.log_format == prepare::LogFormat::json;
  if (streams.verbosity() > prepare::Verbosity::normal && !json)
    streams.note(to_text(parsed->effective));
  const Result<int> code = std::visit(Dispatch{parsed->global, streams}, parsed->command);
  const std::optional<Error> failure = code ? streams.lost_data() : code.error();
  if (failure) {
    streams.error(*failure);
    streams.step_summary(report::error_markdown(*failure));
  }
  const int exit = failure ? exit_code(failure->kind) : *code;
  end_log(parsed->global, exit, streams);
  return exit;
}

}  // namespace
}  // namespace pinwheel::cli

int main(int argc, char** argv) {
  pinwheel::host::open_missing_descriptors();
  pinwheel::host::seclude_process();
  try {
    return pinwheel::cli::run({argv + 1, argv + argc});
  } catch (const std::filesystem::filesystem_error& failed) {
    // Such as a chain of links that the system does not follow.
    pinwheel::cli::Streams streams{pinwheel::prepare::GlobalOptions{}};
    const pinwheel::Error error =
        pinwheel::host::system_error("examined", failed.path1(), failed.code().value());
    streams.error(error);
    return pinwheel::exit_code(error.kind);
  } catch (const std::exception& unexpected) {
    pinwheel::cli::Streams streams{pinwheel::prepare::GlobalOptions{}};
    streams.error({pinwheel::ErrorKind::internal, std::string("unexpected: ") + unexpected.what(),
                   std::nullopt,
                   "this is a bug in pinwheel; please report it with the command line"});
    return pinwheel::exit_code(pinwheel::ErrorKind::internal);
  }
}
