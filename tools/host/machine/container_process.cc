#include "host/machine/container_process.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <utility>

#include "base/text.h"
#include "host/system/foreground.h"
#include "host/system/log_tail.h"

namespace pinwheel::host {
namespace {

// Exit codes of `docker run` and `podman run` when the program was not started, is not executable,
// or does not exist.
constexpr int kEngineFailed = 125;
constexpr int kNotExecutable = 126;
constexpr int kNotFound = 127;
// A program killed by a signal exits with 128 plus the signal's number.
constexpr int kSignaled = 128;
constexpr int kLastSignal = 64;
// The client's error message is at the end of its output.
constexpr uint64_t kClientTail = 4096;

/// The client's own error messages start with its name; a program may exit with 125, too.
bool is_clients_word(std::string_view line) {
  return line.starts_with("docker: ") || line.starts_with("Error: ") ||
         line.starts_with("Cannot connect to the Docker daemon") ||
         line.starts_with("error during connect");
}

std::string clients_word(std::string_view text) {
  std::string found;
  for (const std::string& line : split(text, '\n')) {
    if (is_clients_word(line)) found = line;
  }
  return found;
}

ports::Exit translated(ports::Exit exit) {
  if (exit.signal == 0 && exit.code > kSignaled && exit.code <= kSignaled + kLastSignal) {
    exit.signal = exit.code - kSignaled;
    exit.code = 0;
  }
  return exit;
}

Error engine_error(const ports::Command& command, const std::string& word) {
  return {.kind = ErrorKind::environment,
          .message = fmt::format("the container engine could not run {}: {}",
                                 quoted(command.argv.at(0)), word),
          .hint = "run `pinwheel doctor` to check whether the engine is installed and running"};
}

bool may_be_the_engine(const ports::Exit& exit) {
  return exit.code == kEngineFailed || exit.code == kNotExecutable || exit.code == kNotFound;
}

}  // namespace

ContainerProcess::ContainerProcess(ports::Process& engine, ports::Process& cleaner,
                                   container::Container container, const std::string& name,
                                   std::map<std::string, std::string> client_variables)
    : engine_(engine),
      cleaner_(cleaner),
      container_(std::move(container)),
      name_(container::container_name(name)),
      client_variables_(std::move(client_variables)) {}

std::string ContainerProcess::next_name() const {
  // One counter per process: otherwise two objects of one step would use the same names.
  static std::atomic<unsigned> count{0};
  return fmt::format("{}-{}", name_, ++count);
}

void ContainerProcess::remove(const std::string& name, const ports::Exit& exit) const {
  const bool keep = container_.after_end == container::AfterEnd::keep && !exit.ok();
  // A container that remains for inspection must not continue to run.
  const ports::Command command =
      keep ? container::stop_container(container_.client, name, client_variables_)
           : container::remove_container(container_.client, name, client_variables_);
  // If removal fails, the next run finds the container by its label.
  static_cast<void>(cleaner_.capture(command));
}

void ContainerProcess::measure(std::filesystem::path scratch,
                               std::function<void(const ports::Exit& exit)> on_end) {
  scratch_ = std::move(scratch);
  on_end_ = std::move(on_end);
}

void ContainerProcess::report_running(OnRunning on_running) {
  on_running_ = std::move(on_running);
}

std::unique_ptr<ContainerWatch> ContainerProcess::begin_watch(ports::Command& client) const {
  if (!on_end_) return nullptr;
  try {
    auto watch = std::make_unique<ContainerWatch>(scratch_, on_running_);
    client = container::with_id_file(client, watch->id_file().string());
    return watch;
  } catch (const std::exception&) {
    // A command is worth more than its measurement.
    return nullptr;
  }
}

ports::Exit ContainerProcess::program_exit(ports::Exit exit, const ContainerUsage& usage) const {
  exit = translated(exit);
  exit.peak_memory = usage.peak_memory.value_or(0);
  exit.cpu_time.reset();
  if (usage.cpu_time) {
    exit.cpu_time = std::chrono::floor<std::chrono::milliseconds>(*usage.cpu_time);
  }
  if (on_end_) on_end_(exit);
  return exit;
}

Result<ports::Captured> ContainerProcess::capture(const ports::Command& command) {
  const std::string name = next_name();
  ports::Command client = container::run_in_container(container_, name, command, client_variables_);
  const std::unique_ptr<ContainerWatch> watch = begin_watch(client);
  Result<ports::Captured> ran = engine_.capture(client);
  const ContainerUsage usage = watch ? watch->stop() : ContainerUsage{};
  if (!ran) return ran;
  remove(name, ran->exit);
  if (may_be_the_engine(ran->exit)) {
    const std::string word = clients_word(ran->err);
    if (!word.empty()) return fail(engine_error(command, word));
  }
  ran->exit = program_exit(ran->exit, usage);
  return ran;
}

Result<ports::Exit> ContainerProcess::log(const ports::Command& command,
                                          const std::filesystem::path& log) {
  const std::string name = next_name();
  ports::Command client = container::run_in_container(container_, name, command, client_variables_);
  const std::unique_ptr<ContainerWatch> watch = begin_watch(client);
  Result<ports::Exit> ran = engine_.log(client, log);
  const ContainerUsage usage = watch ? watch->stop() : ContainerUsage{};
  if (!ran) return ran;
  remove(name, *ran);
  if (may_be_the_engine(*ran)) {
    const std::string word = clients_word(log_tail(log, kClientTail));
    if (!word.empty()) return fail(engine_error(command, word));
  }
  return program_exit(*ran, usage);
}

Result<ports::Exit> ContainerProcess::foreground(const ports::Command& command,
                                                 container::Attached attached) {
  const std::string name = next_name();
  container::Container container = container_;
  container.attached = attached;
  // With a terminal, Ctrl-C reaches the program through the client; without one, PID 1 ignores it.
  const Interrupts interrupts =
      attached == container::Attached::terminal ? Interrupts::of_program : Interrupts::end_it;
  const Result<ports::Exit> ran = run_in_foreground(
      container::run_in_container(container, name, command, client_variables_), interrupts);
  static_cast<void>(
      cleaner_.capture(container::remove_container(container_.client, name, client_variables_)));
  if (!ran) return fail(ran.error());
  return translated(*ran);
}

}  // namespace pinwheel::host
