#include "run/execute.h"

#include <algorithm>

#include "unit/catch.h"
#include "unit/run/execution_world.h"

using namespace pinwheel;
using namespace pinwheel::test;
using namespace std::chrono_literals;
using plan::StepState;

namespace {

fakes::Script fails(ErrorKind kind) {
  return {1s, fail(kind, "it went wrong")};
}

/// The outcome that an earlier run would have recorded.
plan::StepOutcome made(const plan::Step& step, const std::vector<plan::StepOutcome>& needs,
                       const std::string& sha256) {
  plan::StepOutcome out;
  out.id = step.id;
  out.parts = plan::result_parts(step, needs);
  out.key = plan::key_of(out.parts);
  if (!sha256.empty()) out.outputs = {{"a.whl", sha256, 2}};
  return out;
}

run::ExecuteOptions with_results(const std::vector<plan::StepOutcome>& outcomes) {
  run::ExecuteOptions options = cores(1);
  for (const plan::StepOutcome& one : outcomes) options.results[{one.id, one.key}] = one;
  return options;
}

const plan::StepOutcome& outcome(const plan::Report& report, const std::string& id) {
  for (const plan::StepOutcome& one : report.outcomes) {
    if (one.id == id) return one;
  }
  FAIL("no outcome of " << id);
  return report.outcomes.front();
}

/// Writes each record of a start for two seconds.
class SlowRecorder final : public run::Recorder {
 public:
  explicit SlowRecorder(fakes::FakeClock& clock) : clock_(clock) {}

  Done started(const run::Attempt& /*attempt*/) override {
    clock_.move_to(clock_.steady() + 2s);
    return {};
  }
  Done finished(const plan::StepOutcome& /*outcome*/) override { return {}; }

 private:
  fakes::FakeClock& clock_;
};

}  // namespace

TEST_CASE("steps run after their needs and get their outcomes") {
  World world;
  world.runner.scripts["build"] = {{1s, run::Success{{{"a.whl", "ab", 2}}}}};
  const plan::Report report =
      world.run({{step("env"), step("build", {"env"}), step("test", {"build"})}, ""}, cores(8));
  CHECK(world.started() == std::vector<std::string>{"env", "build", "test"});
  REQUIRE(world.runner.started[2].needs.size() == 1);
  CHECK(world.runner.started[2].needs[0].outputs == std::vector<plan::Output>{{"a.whl", "ab", 2}});
  CHECK(plan::exit_code(report) == 0);
  CHECK(report.elapsed == 3s);
  CHECK(world.recorder.lines == std::vector<std::string>{"started env 1", "finished env done",
                                                         "started build 1", "finished build done",
                                                         "started test 1", "finished test done"});
  CHECK(world.status.summaries == 1);
}

TEST_CASE("the installation of packages does not count in the duration of a step") {
  World world;
  run::Success success;
  success.installing = 4s;
  world.runner.scripts["build"] = {{5s, success}};
  const plan::Report report = world.run({{step("build")}, ""}, cores(8));
  CHECK(outcome(report, "build").elapsed == 1s);
  CHECK(outcome(report, "build").installing == 4s);
  CHECK(report.elapsed == 5s);
}

TEST_CASE("the duration of a step includes the earlier runs from which it continued") {
  World world;
  run::Success success;
  success.installing = 4s;
  success.earlier = 5h;
  world.runner.scripts["build"] = {{10s, success}};
  const plan::Report report = world.run({{step("build")}, ""}, cores(8));
  CHECK(outcome(report, "build").elapsed == 5h + 6s);
  CHECK(outcome(report, "build").installing == 4s);
  CHECK(report.elapsed == 10s);
}

TEST_CASE("the longest remaining path starts first") {
  World world;
  plan::Plan plan{{step("short"), step("long"), step("middle"), step("after", {"short"})}, ""};
  plan.steps[0].predicted_seconds = 1;
  plan.steps[1].predicted_seconds = 5;
  plan.steps[2].predicted_seconds = 3;
  plan.steps[3].predicted_seconds = 9;
  world.run(plan, cores(1));
  CHECK(world.started() == std::vector<std::string>{"short", "after", "long", "middle"});
}

TEST_CASE("a failed step blocks its dependents and nothing else") {
  World world;
  world.runner.scripts["a"] = {fails(ErrorKind::step)};
  const plan::Report report =
      world.run({{step("a"), step("b", {"a"}), step("c", {"b"}), step("d")}, ""}, cores(1));
  CHECK(outcome(report, "a").state == StepState::failed);
  CHECK(outcome(report, "b").state == StepState::blocked);
  CHECK(outcome(report, "c").state == StepState::blocked);
  CHECK(outcome(report, "c").reason == "`a` failed");
  CHECK(outcome(report, "d").state == StepState::done);
  CHECK(plan::exit_code(report) == 1);
}

TEST_CASE("what needs an unfinished build is unfinished, and other steps continue") {
  World world;
  world.runner.scripts["a"] = {fails(ErrorKind::unfinished)};
  const plan::Report report = world.run(
      {{step("a"), step("b", {"a"}), step("c", {"b"}), step("d"), step("e", {"d"})}, ""}, cores(1));
  CHECK(outcome(report, "a").state == StepState::unfinished);
  CHECK(outcome(report, "a").attempts == 1);
  CHECK(outcome(report, "a").warnings == std::vector<std::string>{"it went wrong"});
  CHECK(outcome(report, "b").state == StepState::unfinished);
  CHECK(outcome(report, "b").reason == "`a` is unfinished");
  CHECK(outcome(report, "c").reason == "`a` is unfinished");
  CHECK(outcome(report, "e").state == StepState::done);
  CHECK(plan::exit_code(report) == 8);
}

TEST_CASE("attempts know when the time of their run ends") {
  World world;
  run::ExecuteOptions options = cores(1);
  options.until = std::chrono::steady_clock::time_point(90s);
  world.run({{step("a")}, ""}, options);
  REQUIRE(world.runner.started.size() == 1);
  CHECK(world.runner.started[0].until == options.until);
}

TEST_CASE("a build that makes another kind of wheel than planned blocks the builds not started") {
  World world;
  world.runner.scripts["build:a"] = {fails(ErrorKind::unplanned_wheel)};
  plan::Plan plan{{step("build:a"), step("build:b"), step("test:b", {"build:b"}), step("sdist")},
                  ""};
  plan.steps[0].action = plan::BuildWheel{};
  plan.steps[1].action = plan::BuildWheel{};
  const plan::Report report = world.run(plan, cores(1));
  CHECK(world.started() == std::vector<std::string>{"build:a", "sdist"});
  CHECK(outcome(report, "build:b").state == StepState::blocked);
  CHECK(outcome(report, "build:b").reason == "not started after `build:a` failed");
  CHECK(outcome(report, "test:b").state == StepState::blocked);
  CHECK(outcome(report, "sdist").state == StepState::done);
  CHECK(plan::exit_code(report) == 5);
}

TEST_CASE("without keep-going nothing new starts after a failure and running steps may finish") {
  World world;
  world.runner.scripts["a"] = {fails(ErrorKind::check)};
  world.runner.scripts["b"] = {{5s, run::Success{}}};
  const plan::Report report =
      world.run({{step("a"), step("b"), step("c"), step("d", {"b"}), step("e", {"a"})}, ""},
                cores(2, run::OnFailure::stop_starting));
  CHECK(world.started() == std::vector<std::string>{"a", "b"});
  CHECK(outcome(report, "b").state == StepState::done);
  CHECK(outcome(report, "c").reason == "not started after `a` failed");
  CHECK(outcome(report, "d").reason == "not started after `a` failed");
  CHECK(outcome(report, "e").reason == "`a` failed");
  CHECK(plan::exit_code(report) == 5);
}

TEST_CASE("the trace of a step says why and how long it waited") {
  World world;
  plan::Step upload = step("upload", {"build"});
  upload.resources.pools = {{"upload", 1}};
  plan::Step other = step("other upload");
  other.resources.pools = {{"upload", 1}};
  plan::Step hungry = step("hungry");
  hungry.resources.memory_per_core = 8;
  world.runner.scripts["other upload"] = {{5s}};
  run::ExecuteOptions options = cores(2);
  options.budget.memory = 10;
  options.worker = "a machine";
  plan::Step large = step("large");
  large.resources.memory_per_core = 8;
  large.predicted_seconds = 100;
  const plan::Report report =
      world.run({{step("build"), upload, other, hungry, large}, ""}, options);
  using plan::WaitCause;
  const auto waits = [&report](const char* id) { return outcome(report, id).trace.at(0).waits; };
  // Two of five start at once: `large` has the longest path, then `build`.
  CHECK(waits("build").empty());
  CHECK(waits("large").empty());
  CHECK(waits("other upload") == std::vector<plan::TracedWait>{{WaitCause::slot, "", 1s}});
  CHECK(waits("upload") == std::vector<plan::TracedWait>{{WaitCause::dependency, "build", 1s},
                                                         {WaitCause::pool, "upload", 5s}});
  CHECK(waits("hungry") == std::vector<plan::TracedWait>{{WaitCause::slot, "", 1s}});
  for (const plan::StepOutcome& one : report.outcomes) {
    const plan::AttemptTrace& trace = one.trace.at(0);
    CHECK(trace.worker == "a machine");
    CHECK(trace.cores == 1);
    CHECK(trace.memory.has_value() == (one.id == "hungry" || one.id == "large"));
    std::chrono::milliseconds waited{0};
    for (const plan::TracedWait& wait : trace.waits) waited += wait.spent;
    CHECK(*trace.queued + waited == trace.ran->start);
    CHECK(trace.ran->completed - trace.ran->start == one.elapsed);
  }
  CHECK(outcome(report, "upload").needs == std::vector<std::string>{"build"});
}

TEST_CASE("recording the start of an attempt is not part of its time") {
  World world;
  SlowRecorder recorder(world.clock);
  const plan::Report report = run::execute({{step("build")}, ""}, cores(1),
                                           {world.runner, recorder, world.status, world.clock});
  const plan::TraceSpan ran = *outcome(report, "build").trace.at(0).ran;
  CHECK(outcome(report, "build").elapsed == 1s);
  CHECK(ran.completed - ran.start == 1s);
}

TEST_CASE("a step that waits for memory says so") {
  World world;
  plan::Step hungry = step("hungry");
  hungry.resources.memory_per_core = 8;
  plan::Step large = hungry;
  large.id = "large";
  run::ExecuteOptions options = cores(2);
  options.budget.memory = 10;
  const plan::Report report = world.run({{hungry, large}, ""}, options);
  CHECK(outcome(report, "large").trace.at(0).waits ==
        std::vector<plan::TracedWait>{{plan::WaitCause::memory, "", 1s}});
}

TEST_CASE("each attempt has a trace, and a reused step has none") {
  World world;
  plan::Step first = step("first");
  first.retry.transient = 1;
  const plan::Step reused = step("reused");
  world.runner.scripts["first"] = {fails(ErrorKind::transient)};
  plan::StepOutcome earlier = made(reused, {}, "ab");
  earlier.trace = {plan::AttemptTrace{}};
  earlier.span = "of an earlier run";
  run::ExecuteOptions options = with_results({earlier});
  options.span = [](const std::string& id) { return "span of " + id; };
  const plan::Report report = world.run({{first, reused}, ""}, options);
  const std::vector<plan::AttemptTrace>& trace = outcome(report, "first").trace;
  REQUIRE(trace.size() == 2);
  CHECK(trace[1].queued == trace[0].ran->completed);
  CHECK(trace[1].waits ==
        std::vector<plan::TracedWait>{{plan::WaitCause::retry, "", world.status.delays.at(0)}});
  CHECK(outcome(report, "reused").trace.empty());
  CHECK(outcome(report, "reused").reused_from == "journal");
  CHECK(outcome(report, "first").reused_from.empty());
  CHECK(outcome(report, "reused").span == "of an earlier run");
  CHECK(outcome(report, "first").span == "span of first");
}

TEST_CASE("a transient failure is retried after growing delays until its retries are used up") {
  World world;
  plan::Plan plan{{step("env")}, ""};
  plan.steps[0].retry = {3, 10s, 30s};
  world.runner.scripts["env"] = std::deque<fakes::Script>(4, fails(ErrorKind::transient));
  const plan::Report report = world.run(plan, cores(1));
  REQUIRE(world.status.delays.size() == 3);
  const std::vector<std::chrono::milliseconds> most = {10s, 20s, 30s};
  for (size_t i = 0; i < 3; ++i) {
    CHECK(world.status.delays[i] >= most[i] / 2);
    CHECK(world.status.delays[i] <= most[i]);
    CHECK(world.runner.started_at[i + 1] - world.runner.started_at[i] >=
          world.status.delays[i] + 1s);
  }
  CHECK(outcome(report, "env").attempts == 4);
  CHECK(outcome(report, "env").state == StepState::failed);
  CHECK(plan::exit_code(report) == 1);
}

TEST_CASE("a step killed for memory is retried once with half the cores") {
  World world;
  plan::Plan plan{{step("build")}, ""};
  plan.steps[0].resources.cores_max = 8;
  world.runner.scripts["build"] = std::deque<fakes::Script>(2, fails(ErrorKind::out_of_memory));
  const plan::Report report = world.run(plan, cores(8));
  REQUIRE(world.runner.started.size() == 2);
  CHECK(world.runner.started[0].cores == 8);
  CHECK(world.runner.started[1].cores == 4);
  CHECK(world.runner.started[0].log != world.runner.started[1].log);
  CHECK(world.runner.started[0].scratch != world.runner.started[1].scratch);
  CHECK(outcome(report, "build").state == StepState::failed);
}

TEST_CASE("every other kind of error fails at once") {
  for (const ErrorKind kind : {ErrorKind::step, ErrorKind::timeout, ErrorKind::environment,
                               ErrorKind::check, ErrorKind::publish, ErrorKind::internal}) {
    World world;
    world.runner.scripts["a"] = {fails(kind)};
    const plan::Report report = world.run({{step("a")}, ""}, cores(1));
    CHECK(world.runner.started.size() == 1);
    CHECK(plan::exit_code(report) == exit_code(kind));
  }
}

TEST_CASE("a reused step is reported with its outputs and never started") {
  World world;
  const plan::Plan plan = {{step("build"), step("test", {"build"})}, ""};
  const run::ExecuteOptions options = with_results({made(plan.steps[0], {}, "ab")});
  const plan::Report report = world.run(plan, options);
  CHECK(world.started() == std::vector<std::string>{"test"});
  CHECK(outcome(report, "build").state == StepState::reused);
  CHECK(world.runner.started[0].needs[0].outputs.size() == 1);
}

TEST_CASE("a need that produces the same files again starts nothing after it, other files do") {
  const plan::Plan plan = {{step("build"), step("test", {"build"}), step("gate", {"test"})}, ""};
  const plan::StepOutcome build = made(plan.steps[0], {}, "ab");
  const plan::StepOutcome test = made(plan.steps[1], {build}, "");
  // The build's own result is lost, those of its dependents are not.
  const run::ExecuteOptions options = with_results({test, made(plan.steps[2], {test}, "")});
  World world;
  SECTION("the same") {
    world.runner.scripts["build"] = {{1s, run::Success{build.outputs}}};
    const plan::Report report = world.run(plan, options);
    CHECK(world.started() == std::vector<std::string>{"build"});
    CHECK(outcome(report, "test").state == StepState::reused);
    CHECK(outcome(report, "gate").state == StepState::reused);
  }
  SECTION("others") {
    world.runner.scripts["build"] = {{1s, run::Success{{{"a.whl", "cd", 2}}}}};
    const plan::Report report = world.run(plan, options);
    CHECK(world.started() == std::vector<std::string>{"build", "test", "gate"});
    CHECK(outcome(report, "test").key != test.key);
  }
}

TEST_CASE("dependents of a skipped step still run") {
  World world;
  world.runner.scripts["test"] = {{1s, run::Success{.skipped = "no cu130 torch here"}}};
  const plan::Report report = world.run({{step("test"), step("gate", {"test"})}, ""}, cores(1));
  CHECK(outcome(report, "test").state == StepState::skipped);
  CHECK(outcome(report, "test").reason == "no cu130 torch here");
  CHECK(outcome(report, "gate").state == StepState::done);
}

TEST_CASE("a signal interrupts all unfinished steps") {
  World world;
  world.runner.scripts["done"] = {{1s, run::Success{}}};
  world.runner.scripts["slow"] = {{1h, run::Success{}}};
  world.runner.scripts["flaky"] = {fails(ErrorKind::transient)};
  world.runner.interrupt_at = world.clock.steady() + 2s;
  SECTION("when the runner obeys") {}
  SECTION("within five seconds when it does not") {
    world.runner.obeys_cancel = false;
  }
  const plan::Report report = world.run(
      {{step("done"), step("slow"), step("flaky"), step("later", {"slow"})}, ""}, cores(3));
  CHECK(report.signal == 2);
  CHECK(plan::exit_code(report) == 130);
  CHECK(report.elapsed <= 7s);
  CHECK(outcome(report, "done").state == StepState::done);
  for (const char* id : {"slow", "flaky", "later"}) {
    CHECK(outcome(report, id).state == StepState::interrupted);
  }
  CHECK(std::count(world.recorder.lines.begin(), world.recorder.lines.end(),
                   "finished slow interrupted") == 1);
  CHECK(world.status.finished.size() == 4);
}

TEST_CASE("a record that cannot be written fails its step and stops the run") {
  World world;
  SECTION("at the start") {
    world.recorder.fails_at = "started a 1";
    const plan::Report report = world.run({{step("a"), step("b")}, ""}, cores(1));
    CHECK(world.started().empty());
    CHECK(plan::exit_code(report) == 4);
  }
  SECTION("at the end") {
    world.recorder.fails_at = "finished a done";
    const plan::Report report = world.run({{step("a"), step("b")}, ""}, cores(1));
    CHECK(world.started() == std::vector<std::string>{"a"});
    CHECK(outcome(report, "a").state == StepState::failed);
    CHECK(outcome(report, "b").state == StepState::blocked);
    CHECK(plan::exit_code(report) == 4);
  }
}

TEST_CASE("a step that wants more than the total gets all of it") {
  World world;
  plan::Plan plan{{step("build")}, ""};
  plan.steps[0].resources = {16, 32, 4, {{"gpu", 3}}};
  run::ExecuteOptions options = cores(4);
  options.budget.memory = 2;
  world.run(plan, options);
  REQUIRE(world.runner.started.size() == 1);
  CHECK(world.runner.started[0].cores == 1);
}

TEST_CASE("no step gets more than its share, and the others use the rest") {
  World world;
  plan::Plan plan{{step("a"), step("b")}, ""};
  for (plan::Step& each : plan.steps) each.resources.cores_max = 16;
  run::ExecuteOptions options = cores(4);
  options.budget.cores_per_step = 2;
  const plan::Report report = world.run(plan, options);
  REQUIRE(world.runner.started.size() == 2);
  CHECK(world.runner.started[0].cores == 2);
  CHECK(world.runner.started[1].cores == 2);
  CHECK(report.elapsed == 1s);
}

TEST_CASE("a plan whose needs do not come first is a bug, not a hang") {
  World world;
  const plan::Report report = world.run({{step("a", {"b"}), step("b")}, ""}, cores(1));
  CHECK(world.started().empty());
  CHECK(plan::exit_code(report) == 70);
}

TEST_CASE(
    "a heartbeat has the running steps, the times of an earlier run, and waiting steps with their "
    "needs") {
  World world;
  plan::Step build = step("build", {"env"});
  build.predicted_seconds = 12.5;
  build.prediction = plan::Prediction::measured;
  world.runner.scripts["build"] = {{5s, run::Success{}}};
  run::ExecuteOptions options = cores(1);
  options.logs = "logs";
  world.run({{step("env"), build, step("free"), step("a", {"build"}), step("b", {"build", "free"}),
              step("c", {"a"})},
             ""},
            options);
  REQUIRE_FALSE(world.status.beats.empty());
  bool seen = false;
  for (const run::Progress& beat : world.status.beats) {
    if (beat.running.size() != 1 || beat.running[0].id != "build") continue;
    seen = true;
    CHECK(beat.running[0].earlier == 12500ms);
    CHECK(beat.running[0].log == "logs/build.1.log");
    REQUIRE(beat.pending.size() == 3);
    CHECK(beat.pending_total == 4);
    CHECK(beat.pending[0].id == "free");
    CHECK(beat.pending[0].needs.empty());
    CHECK(beat.pending[1].needs == std::vector<std::string>{"build"});
    CHECK(beat.pending[2].needs == std::vector<std::string>{"build", "free"});
  }
  CHECK(seen);
}

TEST_CASE(
    "a heartbeat has the predicted rest, which only shrinks while nothing unexpected happens") {
  World world;
  plan::Plan plan{{step("env"), step("build", {"env"}), step("test", {"build"}), step("extra")},
                  ""};
  const std::vector<int> seconds = {10, 60, 5, 20};
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    plan.steps[i].predicted_seconds = seconds[i];
    plan.steps[i].prediction = plan::Prediction::measured;
    world.runner.scripts[plan.steps[i].id] = {{std::chrono::seconds(seconds[i]), run::Success{}}};
  }
  const plan::Report report = world.run(plan, cores(1));
  REQUIRE_FALSE(world.status.beats.empty());
  for (const run::Progress& beat : world.status.beats) {
    REQUIRE(beat.outlook);
    CHECK(beat.outlook->overdue == 0s);
    CHECK(beat.elapsed + beat.outlook->left >= report.elapsed);
    CHECK(beat.elapsed + beat.outlook->left <= report.elapsed + 1s);
  }
  CHECK(world.status.beats.front().outlook->path ==
        std::vector<std::string>{"env", "build", "test"});
  for (plan::Step& one : plan.steps) one.prediction = plan::Prediction::guessed;
  World other;
  other.run(plan, cores(1));
  for (const run::Progress& beat : other.status.beats) CHECK_FALSE(beat.outlook);
}
