#include "host/steps/step_shell.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>

#include "base/text.h"
#include "container/container.h"
#include "env/shell_entry.h"
#include "host/log/logged_process.h"
#include "host/steps/build.h"
#include "host/steps/sdist.h"
#include "host/steps/step_context.h"
#include "host/steps/test.h"
#include "host/system/foreground.h"
#include "host/system/signals.h"

namespace pinwheel::host {
namespace {

struct EnterAction {
  const StepContext& context;
  const Enter& enter;

  Result<ports::Exit> operator()(const plan::BuildWheel& action) const {
    return enter_build(context, action, enter);
  }
  Result<ports::Exit> operator()(const plan::BuildSdist& action) const {
    return enter_sdist(context, action, enter);
  }
  Result<ports::Exit> operator()(const plan::TestWheel& action) const {
    return enter_test(context, action, enter);
  }
  template <class Other>
  Result<ports::Exit> operator()(const Other& /*action*/) const {
    return fail(ErrorKind::usage,
                fmt::format("{} runs no command", quoted(context.attempt.step->id)),
                "choose a build or a test");
  }
};

container::Attached attached_now() {
  const bool terminal = ::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1;
  return terminal ? container::Attached::terminal : container::Attached::streams;
}

/// The command to run instead of the step's own.
Result<ports::Command> command_of(const StepShell& shell, const ports::Command& own,
                                  const StepContext& context, container::Attached attached) {
  ports::Command command = own;
  command.argv = shell.argv;
  if (attached == container::Attached::terminal) {
    command.environment.merge(env::terminal_variables(context.workplace.variables));
  }
  if (!command.argv.empty()) return command;
  shell.note(fmt::format("the step runs: {}\n", shell_join(own.argv)));
  command.argv = {"sh"};
  if (attached != container::Attached::terminal) return command;
  // The state directory is mounted at its own path in every environment.
  const std::filesystem::path settings = context.attempt.scratch / "shell-settings";
  TRY_DONE(context.machine.files.write(settings, env::shell_settings(shell.title)));
  command.argv = env::interactive_shell(settings.string());
  return command;
}

}  // namespace

Result<ports::Exit> run_in_step(const Workplace& workplace, const run::Attempt& attempt,
                                const StepShell& shell) {
  std::stop_source stop;
  std::optional<SignalWatcher> watcher;
  watcher.emplace([&stop](int /*signal*/) { stop.request_stop(); });
  TRY(const std::unique_ptr<OpenStep> step, open_step(workplace, attempt, stop.get_token()));
  const StepContext context = step->context();
  const Enter enter = [&](const ports::Command& own) -> Result<ports::Exit> {
    const container::Attached attached = attached_now();
    TRY(const ports::Command command, command_of(shell, own, context, attached));
    // From here on signals go to the command.
    watcher.reset();
    if (stop.stop_requested())
      return fail(ErrorKind::interrupted, "the preparation of the step was interrupted");
    const auto begun = std::chrono::steady_clock::now();
    const ProcessNumber number = log_start(*workplace.log, command, {});
    ContainedMachine* const container = step->container();
    Result<ports::Exit> exit = container != nullptr
                                   ? container->process().foreground(command, attached)
                                   : run_in_foreground(command, Interrupts::of_program);
    log_end(*workplace.log, number, exit, std::chrono::steady_clock::now() - begun);
    return exit;
  };
  return std::visit(EnterAction{context, enter}, attempt.step->action);
}

}  // namespace pinwheel::host
