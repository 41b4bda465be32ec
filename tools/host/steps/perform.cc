#include "host/steps/perform.h"

#include <fstream>
#include <utility>

#include "host/git/git.h"
#include "host/machine/contained_machine.h"
#include "host/machine/local_machine.h"

namespace pinwheel::host {
namespace {

struct PerformAction {
  const Bench& bench;

  Result<run::Success> operator()(const plan::CreateEnvironment& action) const {
    return perform_environment(bench, action);
  }
  Result<run::Success> operator()(const plan::MakeToolkit& action) const {
    return perform_toolkit(bench, action);
  }
  Result<run::Success> operator()(const plan::BuildWheel& action) const {
    return perform_build(bench, action);
  }
  Result<run::Success> operator()(const plan::BuildSdist& action) const {
    return perform_sdist(bench, action);
  }
  Result<run::Success> operator()(const plan::TestWheel& action) const {
    return perform_test(bench, action);
  }
  Result<run::Success> operator()(const plan::Publish& action) const {
    return perform_publish(bench, action);
  }
};

}  // namespace

matrix::ContainerSettings container_of(const plan::Action& action) {
  return std::visit(
      [](const auto& each) -> matrix::ContainerSettings {
        if constexpr (requires { each.environment; }) return each.environment.container;
        if constexpr (requires { each.request; }) return each.request.container;
        return {};
      },
      action);
}

std::map<std::string, std::string> without_tokens(std::map<std::string, std::string> variables) {
  std::erase_if(variables, [](const auto& each) {
    return each.first.starts_with("PINWHEEL_TOKEN") || each.first.starts_with("TWINE_PASSWORD");
  });
  return variables;
}

void append_log(const Bench& bench, const std::string& text) {
  std::ofstream(bench.attempt.log, std::ios::app) << text;
}

void tell_exit(const Bench& bench, const ports::Exit& exit) {
  if (bench.workplace.on_exit) bench.workplace.on_exit(bench.attempt.step->id, exit);
}

Result<run::Success> perform(const Workplace& workplace, const run::Attempt& attempt,
                             std::stop_token stop) {
  const LocalMachine local(without_tokens(workplace.variables), workplace.cache, workplace.state,
                           stop);
  // Outcomes name the log, also where nothing comes into it.
  std::ofstream(attempt.log, std::ios::app).close();
  LibGit2 git;
  TRY(const std::unique_ptr<ContainedMachine> contained,
      contain(local.machine, workplace, container_of(attempt.step->action), attempt.step->id,
              stop));
  const Bench bench{workplace, attempt, contained ? contained->machine() : local.machine, git,
                    std::move(stop)};
  TRY_DONE(local.machine.files.make_directories(attempt.scratch));
  return std::visit(PerformAction{bench}, attempt.step->action);
}

}  // namespace pinwheel::host
