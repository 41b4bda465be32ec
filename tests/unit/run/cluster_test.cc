#include <algorithm>
#include <map>
#include <set>

#include "unit/catch.h"
#include "unit/run/execution_world.h"
#include "unit/run/executor_contract.h"

using namespace pinwheel;
using namespace pinwheel::test;
using namespace std::chrono_literals;
using plan::StepState;
using run::StepJobState;

namespace {

/// A world whose executor schedules all steps but publications.
struct Cluster : World {
  Cluster() { runner.cluster = true; }
};

plan::Plan release() {
  return {{step("env"), step("build", {"env"}), step("test", {"build"}),
           step("publish", {"build", "test"})},
          "digest"};
}

fakes::Script ends(StepJobState state, ErrorKind kind) {
  return {1s, fail(kind, "it went wrong"), state};
}

std::map<std::string, StepState> states(const plan::Report& report) {
  std::map<std::string, StepState> out;
  for (const plan::StepOutcome& one : report.outcomes) out[one.id] = one.state;
  return out;
}

std::string token(const std::string& id, int number = 1) {
  return run::job_token("digest", id, number);
}

/// An environment, builds in it with a test each, and a publication of all.
plan::Plan many_builds(size_t count) {
  plan::Plan plan{{step("env")}, "digest"};
  plan::Step publish = step("publish");
  for (size_t i = 0; i < count; ++i) {
    const std::string name = std::to_string(i);
    plan.steps.push_back(step("build:" + name, {"env"}));
    plan.steps.push_back(step("test:" + name, {"build:" + name}));
    publish.needs.push_back("test:" + name);
  }
  plan.steps.push_back(std::move(publish));
  return plan;
}

/// The steps that all heartbeats of a run list.
size_t listed(const fakes::FakeStatus& status) {
  size_t sum = 0;
  for (const run::Progress& beat : status.beats) {
    sum += beat.running.size() + beat.retrying.size() + beat.pending.size();
  }
  return sum;
}

size_t count_of(const std::vector<std::string>& all, const std::string& one) {
  return static_cast<size_t>(std::count(all.begin(), all.end(), one));
}

}  // namespace

TEST_CASE("a cluster gets the whole plan at once, and the caller publishes") {
  Cluster world;
  const plan::Plan plan = release();
  const plan::Report report = world.run(plan, cores(1));
  CHECK(plan::exit_code(report) == 0);
  REQUIRE(world.runner.submitted.size() == 4);
  CHECK(world.runner.submitted[0].token == token("env"));
  CHECK(world.runner.submitted[1].after == std::vector<std::string>{token("env")});
  CHECK(world.runner.submitted[2].after == std::vector<std::string>{token("build")});
  CHECK(world.runner.submitted[3].attempt.step->id == "publish");
  CHECK(world.runner.submitted[3].after.empty());
  CHECK(world.runner.submitted[3].attempt.needs.size() == 2);
  CHECK(world.started() == std::vector<std::string>{"env", "build", "test", "publish"});
  CHECK(world.recorder.lines ==
        std::vector<std::string>{"started env 1", "finished env done", "started build 1",
                                 "finished build done", "started test 1", "finished test done",
                                 "started publish 1", "finished publish done"});
}

TEST_CASE("jobs of a cluster use none of this machine's cores") {
  Cluster world;
  plan::Plan plan;
  for (int i = 0; i < 5; ++i) plan.steps.push_back(step("build " + std::to_string(i)));
  world.runner.batch = 2;
  const auto begun = world.clock.steady();
  CHECK(plan::exit_code(world.run(plan, cores(1))) == 0);
  CHECK(world.clock.steady() - begun == 1s);
}

TEST_CASE("the key of a step that was submitted early has the products of its needs") {
  Cluster world;
  world.runner.scripts["env"] = {{1s, run::Success{{{"a.whl", "ab", 2}}}}};
  const plan::Report there = world.run(release(), cores(1));
  World here;
  here.runner.scripts["env"] = {{1s, run::Success{{{"a.whl", "ab", 2}}}}};
  const plan::Report local = here.run(release(), cores(1));
  for (size_t i = 0; i < local.outcomes.size(); ++i) {
    CHECK(there.outcomes[i].key == local.outcomes[i].key);
  }
}

TEST_CASE("what happened to a job's machine is repeated, and so is what depends on the job") {
  const StepJobState state = GENERATE(StepJobState::node_failure, StepJobState::preempted,
                                      StepJobState::lost, StepJobState::canceled);
  Cluster world;
  plan::Plan plan = release();
  plan.steps[1].retry.transient = 1;
  world.runner.scripts["build"] = {ends(state, ErrorKind::transient)};
  const plan::Report report = world.run(plan, cores(1));
  CHECK(plan::exit_code(report) == 0);
  CHECK(report.outcomes[1].attempts == 2);
  CHECK(report.outcomes[2].attempts == 1);
  CHECK(world.status.delays.size() == 1);
  CHECK(count_of(world.started(), "env") == 1);
  CHECK(count_of(world.started(), "build") == 2);
  CHECK(count_of(world.started(), "test") == 1);
  CHECK(world.runner.submitted.back().attempt.step->id == "publish");
}

TEST_CASE("a job that waits for one which is repeated is recalled, whatever the cluster does") {
  Cluster world;
  world.runner.drops_dependents = false;
  plan::Plan plan = release();
  plan.steps[0].retry.transient = 1;
  world.runner.scripts["env"] = {ends(StepJobState::node_failure, ErrorKind::transient)};
  const plan::Report report = world.run(plan, cores(1));
  CHECK(plan::exit_code(report) == 0);
  CHECK(world.runner.canceled == std::vector<std::string>{token("build"), token("test")});
  CHECK(count_of(world.started(), "build") == 1);
  CHECK(world.runner.submitted.size() == 7);
}

TEST_CASE("what waits for a job that could not start is recalled, whatever the cluster does") {
  Cluster world;
  world.runner.drops_dependents = false;
  world.runner.scripts["build"] = {ends(StepJobState::dependency_failed, ErrorKind::transient)};
  const plan::Report report = world.run(release(), cores(1));
  CHECK(plan::exit_code(report) == 0);
  CHECK(world.runner.canceled == std::vector<std::string>{token("test")});
  CHECK(count_of(world.started(), "test") == 1);
  CHECK(world.runner.submitted.size() == 6);
}

TEST_CASE("a step that failed on a cluster is not repeated") {
  const ErrorKind kind = GENERATE(ErrorKind::step, ErrorKind::transient, ErrorKind::timeout);
  Cluster world;
  world.runner.largest_growth = 3;
  plan::Plan plan = release();
  for (plan::Step& one : plan.steps) one.retry.transient = 3;
  world.runner.scripts["build"] = {ends(StepJobState::failed, kind)};
  const plan::Report report = world.run(plan, cores(1));
  CHECK(states(report) == std::map<std::string, StepState>{{"env", StepState::done},
                                                           {"build", StepState::failed},
                                                           {"test", StepState::blocked},
                                                           {"publish", StepState::blocked}});
  CHECK(count_of(world.started(), "build") == 1);
}

TEST_CASE("a job that lacked memory or time gets twice as much, up to a limit") {
  const auto [state, kind] =
      GENERATE(std::pair(StepJobState::out_of_memory, ErrorKind::out_of_memory),
               std::pair(StepJobState::failed, ErrorKind::out_of_memory),
               std::pair(StepJobState::time_limit, ErrorKind::timeout));
  Cluster world;
  world.runner.largest_growth = 2;
  world.runner.scripts["build"] = std::deque<fakes::Script>(5, ends(state, kind));
  const plan::Report report = world.run({{step("build")}, "digest"}, cores(1));
  CHECK(report.outcomes[0].state == StepState::failed);
  CHECK(report.outcomes[0].attempts == 3);
  REQUIRE(world.runner.submitted.size() == 3);
  for (int i = 0; i < 3; ++i) {
    const run::Growth growth = world.runner.submitted[static_cast<size_t>(i)].growth;
    CHECK(growth == (state == StepJobState::time_limit ? run::Growth{0, i} : run::Growth{i, 0}));
  }
  CHECK(world.runner.submitted[2].token == token("build", 3));
}

TEST_CASE("a build that outlasts its job is continued by further jobs") {
  Cluster world;
  const fakes::Script unfinished = ends(StepJobState::unfinished, ErrorKind::unfinished);
  run::ExecuteOptions options = cores(1);
  SECTION("until it is finished") {
    world.runner.scripts["build"] = std::deque<fakes::Script>(7, unfinished);
    const plan::Report report = world.run(release(), options);
    CHECK(plan::exit_code(report) == 0);
    CHECK(count_of(world.started(), "build") == 8);
    CHECK(count_of(world.started(), "test") == 1);
  }
  SECTION("but not forever") {
    world.runner.scripts["build"] = std::deque<fakes::Script>(500, unfinished);
    const plan::Report report = world.run(release(), options);
    CHECK(plan::exit_code(report) == 8);
    CHECK(count_of(world.started(), "build") == 101);
  }
  SECTION("unless the time of the run ends as well") {
    world.runner.scripts["build"] = {unfinished};
    options.until = world.clock.steady() + 1h;
    const plan::Report report = world.run(release(), options);
    CHECK(plan::exit_code(report) == 8);
    CHECK(count_of(world.started(), "build") == 1);
  }
}

TEST_CASE("after a failure without keep-going, waiting jobs are withdrawn and running ones end") {
  Cluster world;
  plan::Plan plan{{step("bad"), step("slow"), step("after", {"slow"})}, "digest"};
  world.runner.scripts["bad"] = {ends(StepJobState::failed, ErrorKind::step)};
  world.runner.scripts["slow"] = {{5s, run::Success{}}};
  const plan::Report report = world.run(plan, cores(1, run::OnFailure::stop_starting));
  CHECK(states(report) == std::map<std::string, StepState>{{"bad", StepState::failed},
                                                           {"slow", StepState::done},
                                                           {"after", StepState::blocked}});
  CHECK(world.runner.canceled == std::vector<std::string>{token("after")});
  CHECK(count_of(world.started(), "after") == 0);
}

TEST_CASE("a signal cancels running and waiting jobs by their tokens") {
  Cluster world;
  plan::Plan plan{{step("done"), step("slow"), step("after", {"slow"})}, "digest"};
  world.runner.scripts["slow"] = {{1h, run::Success{}}};
  world.runner.interrupt_at = world.clock.steady() + 2s;
  SECTION("jobs end") {}
  SECTION("jobs that do not end are given up") {
    world.runner.obeys_cancel = false;
  }
  const auto begun = world.clock.steady();
  const plan::Report report = world.run(plan, cores(1));
  CHECK(states(report) == std::map<std::string, StepState>{{"done", StepState::done},
                                                           {"slow", StepState::interrupted},
                                                           {"after", StepState::interrupted}});
  CHECK(report.outcomes[2].reason == "not started");
  CHECK(world.clock.steady() - begun < 7s);
  if (!world.runner.obeys_cancel) return;
  CHECK(world.runner.canceled == std::vector<std::string>{token("slow"), token("after")});
}

TEST_CASE("results of earlier runs are not submitted") {
  Cluster world;
  const plan::Report first = world.run(release(), cores(1));
  run::ExecuteOptions options = cores(1);
  for (const plan::StepOutcome& one : first.outcomes) {
    if (one.id != "publish") options.results[{one.id, one.key}] = one;
  }
  Cluster again;
  CHECK(plan::exit_code(again.run(release(), options)) == 0);
  CHECK(again.started() == std::vector<std::string>{"publish"});
}

TEST_CASE("the record of the machine that ran a job replaces what the caller saw") {
  Cluster world;
  plan::StepOutcome record;
  record.attempts = 2;
  record.elapsed = 90s;
  record.installing = 5s;
  record.log = "/shared/build.2.log";
  record.trace.resize(2);
  record.trace[1].worker = "node7";
  world.runner.record = record;
  const plan::Report report = world.run({{step("build")}, "digest"}, cores(1));
  const plan::StepOutcome& build = report.outcomes[0];
  CHECK(build.attempts == 2);
  CHECK(build.elapsed == 90s);
  CHECK(build.installing == 5s);
  CHECK(build.log == "/shared/build.2.log");
  REQUIRE(build.trace.size() == 2);
  CHECK(build.trace[1].worker == "node7");
  CHECK(build.trace[0].queued);
}

TEST_CASE("a job's own tokens can be given") {
  Cluster world;
  run::ExecuteOptions options = cores(1);
  options.token = [](const std::string& id, int number) {
    return id + "/" + std::to_string(number + 10);
  };
  world.run({{step("build")}, "digest"}, options);
  CHECK(world.runner.submitted.at(0).token == "build/11");
}

TEST_CASE("tokens differ by plan, step and submission") {
  std::set<std::string> tokens;
  for (const char* plan : {"p", "q"}) {
    for (const char* id : {"a", "b"}) {
      for (int number : {1, 2}) tokens.insert(run::job_token(plan, id, number));
    }
  }
  CHECK(tokens.size() == 8);
  CHECK(run::job_token("p", "a", 1) == run::job_token("p", "a", 1));
}

TEST_CASE("the fake of the tests satisfies the contract of executors") {
  fakes::FakeClock clock;
  const bool cluster = GENERATE(false, true);
  check_contract([&]() -> std::unique_ptr<run::Executor> {
    auto fake = std::make_unique<fakes::FakeRunner>(clock);
    fake->cluster = cluster;
    fake->scripts["build:good"] = std::deque<fakes::Script>(2, {1s, contract_success()});
    fake->scripts["build:bad"] = {{1s, fail(ErrorKind::step, "the build failed")}};
    fake->scripts["build:slow"] = {{1000h, run::Success{}}};
    return fake;
  });
}

TEST_CASE("calls of the executor and heartbeats grow with a plan, not with its square") {
  const size_t count = GENERATE(size_t{20}, size_t{3'000});
  const plan::Plan plan = many_builds(count);
  Cluster world;
  world.runner.batch = 1000;
  SECTION("all succeed") {
    CHECK(plan::exit_code(world.run(plan, cores(1))) == 0);
    CHECK(world.started().size() == plan.steps.size());
    CHECK(world.runner.submissions == 2 + 2 * count / 1000);
  }
  SECTION("nothing starts after a failure") {
    world.runner.scripts["build:7"] = {ends(StepJobState::failed, ErrorKind::step)};
    const plan::Report report = world.run(plan, cores(1, run::OnFailure::stop_starting));
    CHECK(plan::exit_code(report) == 1);
    CHECK(world.runner.cancellations == 1);
    CHECK(world.runner.canceled.size() == count - 7);
  }
  SECTION("a signal arrives") {
    world.runner.interrupt_at = world.clock.steady() + 1500ms;
    CHECK(world.run(plan, cores(1)).signal != 0);
    CHECK(world.runner.cancellations == 1);
  }
  SECTION("environments are made again") {
    plan::Plan again = plan;
    again.steps[0].retry.transient = 1;
    world.runner.scripts["env"] = {ends(StepJobState::node_failure, ErrorKind::transient)};
    CHECK(plan::exit_code(world.run(again, cores(1))) == 0);
    CHECK(world.runner.cancellations == 1);
    CHECK(world.started().size() == plan.steps.size() + 1);
  }
  // A test whose build was repeated is submitted when the build has ended.
  CHECK(world.runner.submissions <= plan.steps.size());
  CHECK(world.runner.submitted.size() <= 2 * plan.steps.size());
  CHECK(listed(world.status) <= 10 * plan.steps.size());
}

TEST_CASE("heartbeats of a machine with two cores grow with a plan, not with its square") {
  const size_t count = GENERATE(size_t{20}, size_t{5'000});
  const plan::Plan plan = many_builds(count);
  World world;
  CHECK(plan::exit_code(world.run(plan, cores(2))) == 0);
  CHECK(world.started().size() == plan.steps.size());
  CHECK(listed(world.status) <= 10 * plan.steps.size());
}
