#pragma once

#include <string>
#include <vector>

#include "fakes/fake_runner.h"
#include "run/execute.h"

namespace pinwheel::test {

inline plan::Step step(std::string id, std::vector<std::string> needs = {}) {
  plan::Step out;
  out.key = "key of " + id;
  out.parts = {{"id", id}};
  out.id = std::move(id);
  out.needs = std::move(needs);
  return out;
}

/// Runs plans with everything around them faked.
struct World {
  fakes::FakeClock clock;
  fakes::FakeRunner runner{clock};
  fakes::FakeRecorder recorder;
  fakes::FakeStatus status;

  plan::Report run(const plan::Plan& plan, const run::ExecuteOptions& options) {
    return run::execute(plan, options, {runner, recorder, status, clock});
  }
  const std::vector<std::string>& started() const { return runner.started_ids; }
};

inline run::ExecuteOptions cores(int count,
                                 run::OnFailure on_failure = run::OnFailure::keep_going) {
  run::ExecuteOptions options;
  options.budget.cores = count;
  options.on_failure = on_failure;
  return options;
}

}  // namespace pinwheel::test
