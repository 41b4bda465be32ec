#include "host/log/logged_process.h"

#include <utility>

#include "base/mask.h"
#include "base/text.h"

namespace pinwheel::host {
namespace {

ProcessNumber next_number() {
  // One counter per pinwheel: several machines write to one log.
  static std::atomic<ProcessNumber> count{0};
  return ++count;
}

std::vector<std::string> names_of(const std::map<std::string, std::string>& environment) {
  std::vector<std::string> names;
  names.reserve(environment.size());
  for (const auto& [name, value] : environment) names.push_back(name);
  return names;
}

std::string ending_of(const ports::Exit& exit) {
  if (exit.canceled) return "canceled";
  if (exit.timed_out) return "timed out";
  if (exit.out_of_memory) return "out of memory";
  return exit.signal != 0 ? "signal" : "exit";
}

}  // namespace

ProcessNumber log_start(ports::Log& log, const ports::Command& command,
                        const std::filesystem::path& output) {
  const ProcessNumber number = next_number();
  ports::LogEvent event{ports::LogLevel::info,
                        "process_started",
                        {{"process", number}, {"argv", mask_arguments(command.argv)}}};
  if (!command.directory.empty()) event.fields.push_back({"directory", command.directory.string()});
  if (!output.empty()) event.fields.push_back({"output", output.string()});
  event.fields.push_back({"variables", names_of(command.environment)});
  log.write(event);
  return number;
}

void log_end(ports::Log& log, ProcessNumber number, const Result<ports::Exit>& exit,
             std::chrono::steady_clock::duration elapsed) {
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(elapsed);
  ports::LogEvent event{
      ports::LogLevel::info, "process_ended", {{"process", number}, {"elapsed_ms", ms.count()}}};
  if (!exit) {
    event.fields.push_back({"error", exit.error().message});
  } else {
    event.fields.push_back({"ending", ending_of(*exit)});
    event.fields.push_back({"code", int64_t{exit->code}});
    if (exit->signal != 0) event.fields.push_back({"signal", int64_t{exit->signal}});
    if (exit->peak_memory > 0) {
      event.fields.push_back({"peak_bytes", static_cast<int64_t>(exit->peak_memory)});
    }
    if (exit->cpu_time) event.fields.push_back({"cpu_ms", int64_t{exit->cpu_time->count()}});
  }
  log.write(event);
}

LoggedProcess::LoggedProcess(ports::Process& process, ports::Log& log, const ports::Clock& clock)
    : process_(process), log_(log), clock_(clock) {}

Result<ports::Captured> LoggedProcess::capture(const ports::Command& command) {
  const auto begun = clock_.steady();
  const ProcessNumber number = log_start(log_, command, {});
  Result<ports::Captured> captured = process_.capture(command);
  const Result<ports::Exit> exit =
      captured ? Result<ports::Exit>(captured->exit) : fail(captured.error());
  log_end(log_, number, exit, clock_.steady() - begun);
  if (exit && on_end) on_end(*exit);
  return captured;
}

Result<ports::Exit> LoggedProcess::log(const ports::Command& command,
                                       const std::filesystem::path& log) {
  const auto begun = clock_.steady();
  const ProcessNumber number = log_start(log_, command, log);
  Result<ports::Exit> exit = process_.log(command, log);
  log_end(log_, number, exit, clock_.steady() - begun);
  if (exit && on_end) on_end(*exit);
  return exit;
}

}  // namespace pinwheel::host
