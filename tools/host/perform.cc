#include "host/perform.h"

#include <fstream>
#include <utility>

#include "host/clock.h"
#include "host/files.h"
#include "host/git.h"
#include "host/process.h"

namespace pinwheel::host {
namespace {

struct PerformAction {
  const Bench& bench;

  Result<run::Success> operator()(const plan::CreateEnvironment& action) const {
    return perform_environment(bench, action);
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

/// Upload tokens are for the upload alone: no build, test or pip ever sees them.
std::map<std::string, std::string> without_tokens(std::map<std::string, std::string> variables) {
  std::erase_if(variables, [](const auto& each) {
    return each.first.starts_with("PINWHEEL_TOKEN") || each.first.starts_with("TWINE_PASSWORD");
  });
  return variables;
}

}  // namespace

void append_log(const Bench& bench, const std::string& text) {
  std::ofstream(bench.attempt.log, std::ios::app) << text;
}

Result<run::Success> perform(const Workplace& workplace, const run::Attempt& attempt,
                             std::stop_token stop) {
  LocalFiles files;
  ChildProcesses process(stop);
  const SystemClock clock;
  LibGit2 git;
  const Bench bench{workplace,
                    attempt,
                    {files, process, clock, without_tokens(workplace.variables), workplace.cache,
                     workplace.state},
                    git,
                    std::move(stop)};
  TRY_DONE(files.make_directories(attempt.scratch));
  return std::visit(PerformAction{bench}, attempt.step->action);
}

}  // namespace pinwheel::host
