#include "host/steps/visit.h"

#include <fmt/format.h>
#include <unistd.h>

#include <optional>
#include <stop_token>
#include <utility>

#include "base/text.h"
#include "env/container.h"
#include "env/shell_entry.h"
#include "host/git/git.h"
#include "host/machine/contained_machine.h"
#include "host/machine/local_machine.h"
#include "host/steps/build_site.h"
#include "host/system/foreground.h"
#include "host/system/signals.h"

namespace pinwheel::host {
namespace {

Result<ports::Exit> at_build(const Bench& bench, const plan::BuildWheel& action,
                             const Enter& enter) {
  TRY(const BuildSite site,
      prepare_site(bench, action.environment, action.source, action.source_date_epoch));
  return enter(site.space.wrap(build_command(action, site.setting(bench))));
}

Result<ports::Exit> at_sdist(const Bench& bench, const plan::BuildSdist& action,
                             const Enter& enter) {
  TRY(const BuildSite site,
      prepare_site(bench, action.environment, action.source, action.source_date_epoch));
  return enter(site.space.wrap(sdist_command(action, site.setting(bench))));
}

struct EnterAction {
  const Bench& bench;
  const Enter& enter;

  Result<ports::Exit> operator()(const plan::BuildWheel& action) const {
    return at_build(bench, action, enter);
  }
  Result<ports::Exit> operator()(const plan::BuildSdist& action) const {
    return at_sdist(bench, action, enter);
  }
  Result<ports::Exit> operator()(const plan::TestWheel& action) const {
    return at_test(bench, action, enter);
  }
  template <class Other>
  Result<ports::Exit> operator()(const Other& /*action*/) const {
    return fail(ErrorKind::usage,
                fmt::format("`{}` runs no command to be in the place of", bench.attempt.step->id),
                "name a build or a test");
  }
};

env::Attached attached_now() {
  const bool terminal = ::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1;
  return terminal ? env::Attached::terminal : env::Attached::streams;
}

/// The visitor's command in the place of the step's own.
Result<ports::Command> command_of(const Visit& visit, const ports::Command& own, const Bench& bench,
                                  env::Attached attached) {
  ports::Command command = own;
  command.argv = visit.argv;
  if (attached == env::Attached::terminal) {
    command.environment.merge(env::terminal_variables(bench.workplace.variables));
  }
  if (!command.argv.empty()) return command;
  visit.note(fmt::format("the step itself runs: {}\n", shell_join(own.argv)));
  command.argv = {"sh"};
  if (attached != env::Attached::terminal) return command;
  // Whatever the mounts, the state directory is seen at its own path as well.
  const std::filesystem::path settings = bench.attempt.scratch / "shell-settings";
  TRY_DONE(bench.machine.files.write(settings, env::shell_settings(visit.title)));
  command.argv = env::interactive_shell(settings.string());
  return command;
}

}  // namespace

Result<ports::Exit> visit(const Workplace& workplace, const run::Attempt& attempt,
                          const Visit& visit) {
  std::stop_source stop;
  std::optional<SignalWatcher> watcher;
  watcher.emplace([&stop](int /*signal*/) { stop.request_stop(); });
  const LocalMachine local(without_tokens(workplace.variables), workplace.cache, workplace.state,
                           stop.get_token());
  LibGit2 git;
  TRY(const std::unique_ptr<ContainedMachine> contained,
      contain(local.machine, workplace, container_of(attempt.step->action), attempt.step->id,
              stop.get_token()));
  const Bench bench{workplace, attempt, contained ? contained->machine() : local.machine, git,
                    stop.get_token()};
  TRY_DONE(local.machine.files.make_directories(attempt.scratch));
  const Enter enter = [&](const ports::Command& own) -> Result<ports::Exit> {
    const env::Attached attached = attached_now();
    TRY(const ports::Command command, command_of(visit, own, bench, attached));
    // From here on signals are the visitor's.
    watcher.reset();
    if (stop.stop_requested()) return fail(ErrorKind::interrupted, "it was interrupted");
    if (contained) return contained->process().foreground(command, attached);
    return run_in_foreground(command, Interrupts::of_program);
  };
  return std::visit(EnterAction{bench, enter}, attempt.step->action);
}

}  // namespace pinwheel::host
