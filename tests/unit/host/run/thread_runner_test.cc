#include "host/run/thread_runner.h"

#include <atomic>
#include <stdexcept>
#include <vector>

#include "unit/catch.h"
#include "unit/run/executor_contract.h"

using namespace pinwheel;
using namespace std::chrono_literals;

namespace {

std::chrono::steady_clock::time_point soon() {
  return std::chrono::steady_clock::now() + 30s;
}

std::vector<run::StepJob> job_of(const plan::Step& step, int number = 1) {
  run::StepJob job;
  job.token = run::job_token("plan", step.id, number);
  job.attempt.step = &step;
  return {job};
}

Result<run::Success> until_stopped(const run::Attempt& /*attempt*/, std::stop_token stop) {
  std::mutex mutex;
  std::condition_variable_any changed;
  std::unique_lock<std::mutex> lock(mutex);
  changed.wait(lock, stop, [] { return false; });
  return fail(ErrorKind::interrupted, "the step was canceled");
}

}  // namespace

TEST_CASE("every attempt reports its end once") {
  std::vector<plan::Step> steps(20);
  host::ThreadRunner runner([](const run::Attempt& one, const std::stop_token&) {
    return run::Success{{{one.step->id, "", 0}}};
  });
  for (size_t i = 0; i < steps.size(); ++i) {
    steps[i].id = std::to_string(i);
    runner.submit(job_of(steps[i]));
  }
  std::map<std::string, int> ended;
  for (size_t i = 0; i < steps.size(); ++i) {
    const run::Event event = runner.poll(soon());
    REQUIRE(std::holds_alternative<run::Completed>(event));
    const run::Completed& completed = std::get<run::Completed>(event);
    REQUIRE(completed.result);
    CHECK(completed.result->outputs.at(0).path == completed.step);
    ++ended[completed.step];
  }
  CHECK(ended.size() == steps.size());
  CHECK(std::holds_alternative<run::Deadline>(runner.poll(std::chrono::steady_clock::now())));
}

TEST_CASE("a step may be started again after it has ended") {
  std::atomic<int> count = 0;
  plan::Step step;
  step.id = "a";
  host::ThreadRunner runner([&](const run::Attempt&, const std::stop_token&) {
    ++count;
    return run::Success{};
  });
  for (int i = 0; i < 3; ++i) {
    runner.submit(job_of(step, i));
    CHECK(std::holds_alternative<run::Completed>(runner.poll(soon())));
  }
  CHECK(count == 3);
}

TEST_CASE("a cancellation reaches every attempt") {
  std::vector<plan::Step> steps(3);
  host::ThreadRunner runner(until_stopped);
  for (size_t i = 0; i < steps.size(); ++i) {
    steps[i].id = std::to_string(i);
    runner.submit(job_of(steps[i]));
  }
  runner.interrupt(15);
  const run::Event event = runner.poll(soon());
  REQUIRE(std::holds_alternative<run::Interrupted>(event));
  CHECK(std::get<run::Interrupted>(event).signal == 15);
  std::vector<std::string> tokens;
  for (const plan::Step& step : steps) tokens.push_back(run::job_token("plan", step.id, 1));
  runner.cancel(tokens);
  for (size_t i = 0; i < steps.size(); ++i) {
    const run::Event end = runner.poll(soon());
    REQUIRE(std::holds_alternative<run::Completed>(end));
    CHECK(std::get<run::Completed>(end).result.error().kind == ErrorKind::interrupted);
  }
}

TEST_CASE("the destructor cancels running attempts") {
  plan::Step step;
  step.id = "a";
  std::atomic<bool> ended = false;
  {
    host::ThreadRunner runner([&](const run::Attempt& one, std::stop_token stop) {
      Result<run::Success> result = until_stopped(one, std::move(stop));
      ended = true;
      return result;
    });
    runner.submit(job_of(step));
  }
  CHECK(ended);
}

TEST_CASE("an exception in a step is an internal error, not the end of pinwheel") {
  plan::Step step;
  step.id = "a";
  host::ThreadRunner runner(
      [](const run::Attempt&, const std::stop_token&) -> Result<run::Success> {
        throw std::runtime_error("oops");
      });
  runner.submit(job_of(step));
  const run::Event event = runner.poll(soon());
  REQUIRE(std::holds_alternative<run::Completed>(event));
  const Result<run::Success>& result = std::get<run::Completed>(event).result;
  REQUIRE_FALSE(result);
  CHECK(result.error().kind == ErrorKind::internal);
  CHECK(result.error().message == "step `a` threw: oops");
}

TEST_CASE("threads satisfy the contract of executors") {
  const auto work = [](const run::Attempt& one, const std::stop_token& stop) {
    return test::contract_work(one,
                               [&](const run::Attempt& slow) { return until_stopped(slow, stop); });
  };
  test::check_contract([&] { return std::make_unique<host::ThreadRunner>(work); });
}
