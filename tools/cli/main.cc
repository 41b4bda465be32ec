#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/mask.h"
#include "base/visible_text.h"
#include "cli/commands.h"
#include "cli/parser.h"
#include "cli/streams.h"
#include "host/git/git.h"
#include "host/log/logged_http.h"
#include "host/log/masked_log.h"
#include "host/machine/local_machine.h"
#include "host/net/http.h"
#include "host/steps/ask_backend.h"
#include "host/steps/perform.h"
#include "host/system/clock.h"
#include "host/system/files.h"
#include "host/system/secluded.h"
#include "host/system/system_error.h"
#include "prepare/host.h"
#include "prepare/http_options.h"
#include "prepare/store_places.h"
#include "report/failure.h"

namespace pinwheel::cli {
namespace {

/// The user's environment as a map.
std::map<std::string, std::string> user_variables() {
  std::map<std::string, std::string> variables;
  // glibc's own name: some linkers copy `environ` into the program and leave it unset there.
  for (char** entry = __environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    variables.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return variables;
}

prepare::OpenMachine open_machine(const host::Workplace& workplace) {
  const auto local = std::make_shared<host::LocalMachine>(workplace);
  return {local, &local->machine};
}

/// An HTTP connection with the state of its log.
struct LoggedConnection {
  LoggedConnection(host::HttpOptions options, ports::LogHandle to, std::stop_token stop)
      : log(std::move(to)), curl(std::move(options), std::move(stop)), port(curl, *log, clock) {}

  ports::LogHandle log;
  host::SystemClock clock;
  host::CurlHttp curl;
  host::LoggedHttp port;
};

std::shared_ptr<ports::Http> open_http(host::HttpOptions options, ports::LogHandle log,
                                       std::stop_token stop) {
  const auto connection =
      std::make_shared<LoggedConnection>(std::move(options), std::move(log), std::move(stop));
  return {connection, &connection->port};
}

/// The ports of this machine.
struct OwnPorts {
  host::LocalFiles files;
  host::LibGit2 git;
  host::SystemClock clock;
};

prepare::Host host_of(OwnPorts& ports) {
  std::error_code gone;
  std::map<std::string, std::string> variables = user_variables();
  Result<std::vector<store::PlaceDescription>> stores = prepare::variable_places(variables);
  return {.files = ports.files,
          .git = ports.git,
          .clock = ports.clock,
          .variables = std::move(variables),
          .directory = std::filesystem::current_path(gone),
          .stores = std::move(stores),
          .machine = open_machine,
          .http = open_http,
          .ask_backend = host::ask_backend,
          .perform = host::perform};
}

/// Calls the parsed command; the only place that knows all commands.
struct Dispatch {
  const prepare::Host& host;
  const prepare::GlobalOptions& global;
  Streams& streams;

  Result<int> operator()(const PrintText& print) const {
    streams.file(print.text);
    return 0;
  }
  Result<int> operator()(const PlanCommand& o) const { return cmd_plan(host, global, o, streams); }
  Result<int> operator()(const ExplainOptions& o) const {
    return cmd_explain(host, global, o, streams);
  }
  Result<int> operator()(const BuildCommand& o) const {
    return cmd_build(host, global, o, streams);
  }
  Result<int> operator()(const TestCommand& o) const { return cmd_test(host, global, o, streams); }
  Result<int> operator()(const ReleaseCommand& o) const {
    return cmd_release(host, global, o, streams);
  }
  Result<int> operator()(const StatusCommand& o) const {
    return cmd_status(host, global, o, streams);
  }
  Result<int> operator()(const VersionOptions& o) const {
    return cmd_version(host, global, o, streams);
  }
  Result<int> operator()(const InitOptions& o) const { return cmd_init(host, global, o, streams); }
  Result<int> operator()(const PublishOptions& o) const {
    return cmd_publish(host, global, o, streams);
  }
  Result<int> operator()(const IndexCheckOptions& o) const {
    return cmd_index_check(host, global, o, streams);
  }
  Result<int> operator()(const IndexYankOptions& o) const {
    return cmd_index_yank(host, global, o, streams);
  }
  Result<int> operator()(const IndexPruneOptions& o) const {
    return cmd_index_prune(host, global, o, streams);
  }
  Result<int> operator()(const EnvOptions& o) const { return cmd_env(host, global, o, streams); }
  Result<int> operator()(const EnvLockOptions& o) const {
    return cmd_env_lock(host, global, o, streams);
  }
  Result<int> operator()(const EnvShellOptions& o) const {
    return cmd_env_shell(host, global, o, streams);
  }
  Result<int> operator()(const EnvExportOptions& o) const {
    return cmd_env_export(host, global, o, streams);
  }
  Result<int> operator()(const CiGenerateOptions& o) const {
    return cmd_ci_generate(host, global, o, streams);
  }
  Result<int> operator()(const CiCheckOptions& o) const {
    return cmd_ci_check(host, global, o, streams);
  }
  Result<int> operator()(const CiExplainOptions& o) const {
    return cmd_ci_explain(host, global, o, streams);
  }
  Result<int> operator()(const InspectOptions& o) const {
    return cmd_inspect(host, global, o, streams);
  }
  Result<int> operator()(const StoreCommandOptions& o) const {
    return cmd_store(host, global, o, streams);
  }
  Result<int> operator()(const TorchExportsOptions& o) const {
    return cmd_torch_exports(host, global, o, streams);
  }
  Result<int> operator()(const CompatOptions& o) const {
    return cmd_compat(host, global, o, streams);
  }
  Result<int> operator()(const FinishOptions& o) const {
    return cmd_finish(host, global, o, streams);
  }
  Result<int> operator()(const RepairOptions& o) const {
    return cmd_repair(host, global, o, streams);
  }
  Result<int> operator()(const ReproduceOptions& o) const {
    return cmd_reproduce(host, global, o, streams);
  }
  Result<int> operator()(const ReportOptions& o) const {
    return cmd_report(host, global, o, streams);
  }
  Result<int> operator()(const LogsOptions& o) const { return cmd_logs(host, global, o, streams); }
  Result<int> operator()(const DoctorOptions& o) const {
    return cmd_doctor(host, global, o, streams);
  }
  Result<int> operator()(const CompleteOptions& o) const {
    return cmd_complete(host, global, o, streams);
  }
  Result<int> operator()(const SchemaOptions& o) const {
    return cmd_schema(host, global, o, streams);
  }
  Result<int> operator()(const DocsOptions& o) const { return cmd_docs(host, global, o, streams); }
  Result<int> operator()(const CompletionOptions& o) const {
    return cmd_completion(host, global, o, streams);
  }
};

/// Starts a log with the version, the command line and the working directory. Arguments are masked
/// like those of other programs.
void log_command(ports::Log& log, const std::filesystem::path& directory,
                 const ParsedCommandLine& parsed, const std::vector<std::string>& arguments) {
  log.write({ports::LogLevel::info,
             "command",
             {{"version", std::string(prepare::kPinwheelVersion)},
              {"arguments", mask_arguments(arguments)},
              {"directory", directory.string()}}});
  for (const EffectiveValue& value : parsed.effective) {
    log.write({ports::LogLevel::debug,
               "option",
               {{"option", value.option}, {"value", value.value}, {"origin", value.origin}}});
  }
}

/// Names the log of a failed command, and reports if it is incomplete.
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
    // A name that is not UTF-8 must not change the exit code.
    const nlohmann::json event = {{"event", "log"}, {"file", file}};
    streams.json_line(event.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  }
}

int run(const std::vector<std::string>& arguments) {
  // A reader that exits (`pinwheel plan | head`) causes a failed write instead of a signal.
  std::signal(SIGPIPE, SIG_IGN);
  OwnPorts ports;
  const prepare::Host host = host_of(ports);
  const Result<ParsedCommandLine> parsed =
      parse_command_line(arguments, help_columns(STDOUT_FILENO));
  if (!parsed) {
    Streams streams{prepare::GlobalOptions{}};
    for (const Secret& secret : host::secrets_of(arguments)) streams.hide(secret);
    streams.error(parsed.error());
    return exit_code(parsed.error().kind);
  }
  if (const Done sound = prepare::check_transfer_variables(host.variables); !sound) {
    Streams(parsed->global).error(sound.error());
    return exit_code(sound.error().kind);
  }
  const Result<std::shared_ptr<Diagnostics>> diagnostics =
      Diagnostics::open(parsed->global, host.variables);
  if (!diagnostics) {
    Streams(parsed->global).error(diagnostics.error());
    return exit_code(diagnostics.error().kind);
  }
  Streams streams(parsed->global, *diagnostics);
  for (const Secret& secret : host::credentials_in(host.variables)) streams.hide(secret);
  for (const Secret& secret : host::secrets_of(arguments)) streams.hide(secret);
  for (const Secret& secret : host::secrets_in(host.variables)) streams.hide_in_messages(secret);
  log_command(*streams.log(), host.directory, *parsed, arguments);
  const bool json = parsed->global.log_format == prepare::LogFormat::json;
  if (streams.verbosity() > prepare::Verbosity::normal && !json)
    streams.note(to_text(parsed->effective));
  const Result<int> code = std::visit(Dispatch{host, parsed->global, streams}, parsed->command);
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
    // For instance a chain of links that the system does not follow.
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
