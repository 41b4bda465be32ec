#include "prepare/run_forecast.h"

#include <string>
#include <vector>

#include "base/digest.h"
#include "plan/key.h"
#include "plan/reuse.h"
#include "prepare/earlier_results.h"
#include "run/history.h"
#include "unit/host/scratch.h"
#include "unit/prepare/matrix_world.h"

namespace pinwheel::prepare {
namespace {

/// A project of one file with a state directory on the disk.
struct ForecastWorld {
  Scratch scratch = {};
  fakes::FakeHost fake{scratch.path()};
  RunScope scope = {};

  ForecastWorld() {
    scratch.write("a.py", "one");
    fake.git.tracked.tracked = {"a.py"};
    scope = whole_scope(fake, kPlainYaml);
    scope.global.state_dir = (scratch.path() / "state").string();
  }
  /// Records that a step was finished.
  void record(const plan::StepOutcome& outcome) {
    write(run::header_line() +
          run::to_line(run::Finished{outcome, "2026-01-02T03:04:05Z", store::Domain::branch}));
  }
  void write(const std::string& journal) {
    scratch.write("state/journal.jsonl", journal);
    fake.files.make(scratch.path() / "state");
  }
  Result<std::optional<RunForecast>> forecast() {
    return forecast_run(fake.host, scope, fake.notices);
  }
  void finish_build() {
    plan::StepOutcome outcome;
    outcome.id = "build:cp311";
    outcome.key = "key";
    outcome.elapsed = std::chrono::seconds(40);
    outcome.attempts = 1;
    record(outcome);
  }
};

TEST_CASE("without an earlier run there is no forecast, and the source is not read") {
  ForecastWorld world;
  world.fake.git.tracked.tracked = {"gone.py"};
  const auto nothing = world.forecast();
  REQUIRE(nothing);
  CHECK_FALSE(*nothing);
  world.write(run::header_line());
  const auto empty = world.forecast();
  REQUIRE(empty);
  CHECK_FALSE(*empty);
  CHECK(world.fake.notices.warnings.empty());
}

TEST_CASE("a forecast has every step of a run, and starts and makes nothing of it") {
  ForecastWorld world;
  world.finish_build();
  const auto forecast = world.forecast();
  INFO((forecast ? std::string() : render(forecast.error())));
  REQUIRE(forecast);
  REQUIRE(*forecast);
  CHECK((*forecast)->steps.size() == (*forecast)->plan.steps.size());
  CHECK((*forecast)->environments.size() == 4);
  const run::PredictedRun here = predict_duration(world.fake.host, **forecast, {}).value();
  CHECK(here.slots >= 1);
  CHECK(here.makespan >= here.least.bound);
  CHECK(here.least.bound > std::chrono::milliseconds(0));
  const run::PredictedRun alone = predict_duration(world.fake.host, **forecast, 1).value();
  CHECK(alone.makespan == alone.least.work);
  for (const run::Forecast& step : (*forecast)->steps) CHECK(step.expected != run::Expected::reuse);
  CHECK(world.fake.notices.logs.empty());
  CHECK(world.fake.acts.empty());
}

TEST_CASE("without an earlier run, durations are guesses, and only the names of sources count") {
  ForecastWorld world;
  const Result<RunForecast> outline = outline_run(world.fake.host, world.scope);
  INFO((outline ? std::string() : render(outline.error())));
  REQUIRE(outline);
  REQUIRE_FALSE(outline->steps.empty());
  for (const run::Forecast& step : outline->steps) {
    CHECK(step.expected == run::Expected::run);
    CHECK(step.because.empty());
    CHECK(step.prediction == plan::Prediction::guessed);
    CHECK(step.seconds > 0);
  }
  CHECK(world.fake.acts.empty());
  CHECK(outline->timed.size() == outline->steps.size());
  const run::PredictedRun alone = predict_duration(world.fake.host, *outline, 1).value();
  CHECK(alone.makespan == alone.least.work);
  CHECK(predict_duration(world.fake.host, *outline, {}).value().slots >= 1);
  world.fake.git.tracked.tracked = {"gone.py"};
  const Result<RunForecast> without = outline_run(world.fake.host, world.scope);
  REQUIRE(without);
  CHECK(without->steps.size() == outline->steps.size());
  world.finish_build();
  const Result<RunForecast> measured = outline_run(world.fake.host, world.scope);
  REQUIRE(measured);
  CHECK(measured->steps[1].id == "build:cp311");
  CHECK(measured->steps[1].seconds == 40);
  CHECK(measured->timed.empty());
}

TEST_CASE("a journal that cannot be read is an error") {
  ForecastWorld world;
  world.write("{\"journal\":99}\n");
  const auto forecast = world.forecast();
  REQUIRE_FALSE(forecast);
  CHECK(forecast.error().kind == ErrorKind::config);
}

TEST_CASE("an error that would stop a run before its first step is a warning") {
  ForecastWorld world;
  world.finish_build();
  world.fake.git.tracked.tracked = {"gone.py"};
  const auto forecast = world.forecast();
  REQUIRE(forecast);
  CHECK_FALSE(*forecast);
  REQUIRE(world.fake.notices.warnings.size() == 1);
  CHECK(world.fake.notices.warnings.front().starts_with(
      "a run here would stop before its first step: package source "));
}

TEST_CASE("a domain that no run can have is a warning before the journal is read") {
  ForecastWorld world;
  world.write("{\"journal\":99}\n");
  world.fake.host.variables["PINWHEEL_STORE_DOMAIN"] = "nonsense";
  const auto forecast = world.forecast();
  REQUIRE(forecast);
  CHECK_FALSE(*forecast);
  CHECK(world.fake.notices.warnings.size() == 1);
}

TEST_CASE("a stop is no warning of a forecast") {
  ForecastWorld world;
  world.finish_build();
  world.fake.git.tracked.tracked = {"a.py"};
  world.scope.version.commit = std::string(40, 'a');
  world.fake.git.changed = fail(ErrorKind::interrupted, "git was stopped");
  const auto forecast = world.forecast();
  REQUIRE_FALSE(forecast);
  CHECK(forecast.error().kind == ErrorKind::interrupted);
  world.fake.git.changed = fail(ErrorKind::environment, "git failed");
  CHECK(world.forecast());
}

/// A plan of one build, and the history of a wheel that it made.
struct ResultWorld {
  Scratch scratch = {};
  std::string wheel = (scratch.path() / "a.whl").string();
  plan::Plan plan = {};
  run::History history = {};

  ResultWorld() {
    plan.steps = {{"build:x", "b", plan::BuildWheel{}}};
    scratch.write("a.whl", "wheel");
    plan::StepOutcome outcome;
    outcome.id = "build:x";
    outcome.attempts = 1;
    outcome.elapsed = std::chrono::seconds(3);
    outcome.key = plan::key_of(plan::result_parts(plan.steps.front(), {}));
    outcome.outputs = {{wheel, sha256_hex("wheel"), 5}};
    history.add(run::Finished{outcome, "2026-01-02T03:04:05Z", store::Domain::branch});
  }
};

TEST_CASE("a result exists as long as its files are unchanged") {
  ResultWorld world;
  const std::map<std::string, std::string> digests = digest_outputs(world.plan, world.history);
  CHECK(digests == std::map<std::string, std::string>{{world.wheel, sha256_hex("wheel")}});
  CHECK(find_results(world.plan, world.history).size() == 1);
  world.scratch.write("a.whl", "another");
  CHECK(digest_outputs(world.plan, world.history).at(world.wheel) == sha256_hex("another"));
  CHECK(find_results(world.plan, world.history).empty());
  CHECK(std::filesystem::remove(world.wheel));
  CHECK(digest_outputs(world.plan, world.history).empty());
  CHECK(find_results(world.plan, world.history).empty());
}

TEST_CASE("durations are those of the journal, and none if it cannot be read") {
  ForecastWorld world;
  const std::filesystem::path state = world.scratch.path() / "state";
  CHECK(earlier_durations(state).steps.empty());
  world.finish_build();
  CHECK(earlier_durations(state).steps.at("build:cp311") ==
        plan::Samples{std::chrono::seconds(40)});
  world.write("{\"journal\":99}\n");
  CHECK(earlier_durations(state).steps.empty());
}

}  // namespace
}  // namespace pinwheel::prepare
