#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "run/executor.h"
#include "unit/catch.h"

namespace pinwheel::test {

/// The result of the step "good".
inline run::Success contract_success() {
  run::Success success;
  success.evidence = plan::Evidence::ran;
  success.warnings = {"it is old"};
  return success;
}

/// The steps of the contract: "good" succeeds, "bad" fails, "build:slow" runs until it is canceled.
inline Result<run::Success> contract_work(
    const run::Attempt& attempt,
    const std::function<Result<run::Success>(const run::Attempt&)>& until_canceled) {
  if (attempt.step->id == "build:slow") return until_canceled(attempt);
  if (attempt.step->id == "build:bad") return fail(ErrorKind::step, "the build failed");
  return contract_success();
}

/// What an executor reported.
struct Reported {
  std::map<std::string, int> ends = {};  ///< by token
  std::map<std::string, run::Completed> last = {};
  bool began_after_end = false;
};

inline run::StepJob contract_job(const plan::Step& step, int number = 1) {
  run::StepJob job;
  job.token = run::job_token("contract", step.id, number);
  job.attempt.step = &step;
  return job;
}

/// Polls until so many jobs have ended, and once more.
inline Reported poll_ends(run::Executor& executor, size_t count) {
  Reported seen;
  const auto take = [&seen](const run::Event& event) {
    if (const auto* const began = std::get_if<run::Began>(&event)) {
      seen.began_after_end = seen.began_after_end || seen.ends.contains(began->token);
    }
    if (const auto* const ended = std::get_if<run::Completed>(&event)) {
      ++seen.ends[ended->token];
      seen.last.insert_or_assign(ended->token, *ended);
    }
  };
  for (int i = 0; seen.ends.size() < count && i < 1000; ++i) {
    take(executor.poll(std::chrono::steady_clock::now() + std::chrono::seconds(10)));
  }
  take(executor.poll(std::chrono::steady_clock::now() + std::chrono::milliseconds(50)));
  return seen;
}

using MakeExecutor = std::function<std::unique_ptr<run::Executor>()>;

/// Checks the contract in `run/executor.h`. The executor performs `contract_work`.
inline void check_contract(const MakeExecutor& make) {
  plan::Step good;
  good.id = "build:good";
  plan::Step bad;
  bad.id = "build:bad";
  plan::Step slow;
  slow.id = "build:slow";
  const std::unique_ptr<run::Executor> executor = make();
  const run::StepJob first = contract_job(good);
  const run::StepJob failing = contract_job(bad);
  const run::StepJob endless = contract_job(slow);

  CHECK_FALSE(executor->collect(first.token));
  executor->submit({first});
  executor->submit({first});
  executor->submit({failing});
  const Reported seen = poll_ends(*executor, 2);
  CHECK(seen.ends == std::map<std::string, int>{{first.token, 1}, {failing.token, 1}});
  CHECK_FALSE(seen.began_after_end);
  REQUIRE(seen.last.at(first.token).result);
  CHECK(seen.last.at(first.token).state == run::StepJobState::succeeded);
  CHECK(seen.last.at(failing.token).state == run::StepJobState::failed);
  CHECK(seen.last.at(failing.token).result.error().kind == ErrorKind::step);

  // A known token starts nothing, and its result stays.
  executor->submit({first});
  executor->cancel({first.token, "no such token"});
  CHECK(poll_ends(*executor, 0).ends.empty());
  for (int i = 0; i < 2; ++i) {
    const std::optional<run::Completed> end = executor->collect(first.token);
    REQUIRE(end);
    CHECK(end->step == "build:good");
    REQUIRE(end->result);
    CHECK(end->result->evidence == plan::Evidence::ran);
    CHECK(end->result->warnings == std::vector<std::string>{"it is old"});
  }

  // A later process finds it.
  if (executor->capabilities().lifetime == run::Lifetime::cluster) {
    const std::unique_ptr<run::Executor> later = make();
    later->submit({first});
    CHECK(poll_ends(*later, 1).last.at(first.token).state == run::StepJobState::succeeded);
  }

  executor->submit({endless});
  CHECK_FALSE(executor->collect(endless.token));
  executor->cancel({endless.token});
  executor->cancel({endless.token});
  const Reported canceled = poll_ends(*executor, 1);
  CHECK(canceled.ends == std::map<std::string, int>{{endless.token, 1}});
  REQUIRE_FALSE(canceled.last.at(endless.token).result);
  CHECK(canceled.last.at(endless.token).result.error().kind == ErrorKind::interrupted);

  // Another submission of the step is another job.
  executor->submit({contract_job(good, 2)});
  CHECK(poll_ends(*executor, 1).ends.contains(run::job_token("contract", "build:good", 2)));
}

}  // namespace pinwheel::test
