#include "analysis/compare_runs.h"

#include "unit/catch.h"

using namespace pinwheel;
using namespace std::chrono_literals;
using analysis::compare_runs;
using plan::StepOutcome;
using plan::StepState;

namespace {

using Ids = std::vector<std::string>;

StepOutcome step(const std::string& id, StepState state, std::chrono::milliseconds took = 0ms) {
  StepOutcome out;
  out.id = id;
  out.state = state;
  out.elapsed = took;
  return out;
}

StepOutcome build(const std::string& sha256, uint64_t size) {
  StepOutcome out = step("build:cpu", StepState::done);
  out.outputs = {{"a/demo.whl", sha256, size}, {"a/log.txt", sha256, 1}};
  return out;
}

Ids ids(const std::vector<analysis::ComparedStep>& steps) {
  Ids out;
  for (const analysis::ComparedStep& each : steps) out.push_back(each.id);
  return out;
}

}  // namespace

TEST_CASE("a step is red, blocked, skipped or fixed compared with an earlier run") {
  StepOutcome failed = step("test:a", StepState::failed);
  failed.error = Error{ErrorKind::step, "`pytest` failed"};
  const auto found =
      compare_runs({step("test:a", StepState::done), step("test:b", StepState::reused),
                    step("test:c", StepState::done), step("test:d", StepState::failed),
                    step("test:e", StepState::failed), step("test:gone", StepState::done)},
                   {failed, step("test:b", StepState::blocked), step("test:c", StepState::skipped),
                    step("test:d", StepState::done), step("test:e", StepState::failed),
                    step("test:new", StepState::failed)});
  CHECK(ids(found.newly_red) == Ids{"test:a", "test:new"});
  CHECK(found.newly_red[0].reason == "`pytest` failed");
  CHECK(ids(found.newly_blocked) == Ids{"test:b"});
  CHECK(ids(found.newly_skipped) == Ids{"test:c"});
  CHECK(ids(found.fixed) == Ids{"test:d"});
  CHECK(ids(found.still_red) == Ids{"test:e"});
  CHECK(found.gained == Ids{"test:new"});
  CHECK(found.lost == Ids{"test:gone"});
  CHECK(found.shared == 5);
  CHECK(analysis::is_worse(found));
}

TEST_CASE("a step that was stopped, or whose evidence is too little, is listed as such") {
  StepOutcome weak = step("test:a", StepState::done);
  weak.error = Error{ErrorKind::check, "`test:a` has evidence `loaded`, `ran` is required"};
  StepOutcome skipped = step("test:b", StepState::skipped);
  skipped.error = Error{ErrorKind::check, "`test:b` has evidence `none`, `ran` is required"};
  StepOutcome killed = step("build:c", StepState::interrupted);
  killed.error = Error{ErrorKind::interrupted, "its run was killed"};
  StepOutcome fresh = killed;
  fresh.id = "build:new";
  const std::vector<StepOutcome> after = {weak,
                                          skipped,
                                          killed,
                                          step("build:d", StepState::unfinished),
                                          step("build:e", StepState::interrupted),
                                          fresh};
  const auto found =
      compare_runs({step("test:a", StepState::done), step("test:b", StepState::done),
                    step("build:c", StepState::failed), step("build:d", StepState::reused),
                    step("build:e", StepState::interrupted)},
                   after);
  CHECK(ids(found.too_little_evidence) == Ids{"test:a", "test:b"});
  CHECK(found.too_little_evidence[0].reason == weak.error->message);
  CHECK(ids(found.stopped) == Ids{"build:c", "build:d", "build:new"});
  CHECK(found.stopped[0].reason == "its run was killed");
  CHECK(found.newly_skipped.empty());
  CHECK(found.lost.empty());
  CHECK(analysis::is_worse(found));
}

TEST_CASE("durations count above both limits, if both runs executed the step") {
  const auto found = compare_runs(
      {step("build:short", StepState::done, 1s), step("build:long", StepState::done, 1000s),
       step("build:slow", StepState::done, 100s), step("build:slower", StepState::done, 100s),
       step("build:fast", StepState::done, 100s), step("build:old", StepState::reused, 1s)},
      {step("build:short", StepState::done, 5900ms), step("build:long", StepState::done, 1100s),
       step("build:slow", StepState::done, 111s), step("build:slower", StepState::done, 150s),
       step("build:fast", StepState::done, 80s), step("build:old", StepState::done, 100s)});
  CHECK(ids(found.slower) == Ids{"build:slower", "build:slow"});
  CHECK(ids(found.faster) == Ids{"build:fast"});
  CHECK(found.timed == 5);
  CHECK(!analysis::is_worse(found));
}

TEST_CASE("a difference that is usual for a step does not count") {
  const analysis::EarlierDurations earlier = {
      {"build:noisy", {100s, 130s, 90s, 140s, 110s}},
      {"build:steady", {100s, 101s, 99s, 100s, 900s, 100s, 102s, 100s, 100s, 101s, 99s}},
      {"build:new", {10s, 500s}}};
  const auto run = [](std::chrono::milliseconds took) {
    return std::vector<StepOutcome>{step("build:noisy", StepState::done, took),
                                    step("build:steady", StepState::done, took),
                                    step("build:new", StepState::done, took)};
  };
  const auto found = compare_runs(run(100s), run(135s), earlier);
  // One outlier of ten does not make a step noisy, and two runs say nothing.
  CHECK(ids(found.slower) == Ids{"build:steady", "build:new"});
  REQUIRE(found.slower[0].usual);
  CHECK(*found.slower[0].usual == analysis::UsualDuration{10, 99s, 100s, 102s});
  CHECK(!found.slower[1].usual);
  CHECK(found.timed == 3);
  CHECK(found.with_usual == 2);
  CHECK(found.within_usual == 1);
  // Its 90th percentile is 130 s, 20 s above its median.
  CHECK(compare_runs(run(100s), run(150s), earlier).within_usual == 1);
  CHECK(compare_runs(run(100s), run(151s), earlier).slower.size() == 3);
  // One slow run does not hide the next.
  const analysis::EarlierDurations slow_once = {{"build:new", {100s, 100s, 100s, 200s}}};
  CHECK(ids(compare_runs(run(100s), run(150s), slow_once).slower).size() == 3);
  CHECK(ids(compare_runs(run(100s), run(75s), earlier).faster) == Ids{"build:steady", "build:new"});
  CHECK(compare_runs(run(100s), run(69s), earlier).faster.size() == 3);
}

TEST_CASE("a reused result is timed by the run that made it, and not compared with itself") {
  StepOutcome made = step("build:cpu", StepState::done, 100s);
  made.key = "k";
  made.trace = {plan::AttemptTrace{}};
  StepOutcome reused = made;
  reused.state = StepState::reused;
  CHECK(compare_runs({made}, {reused}).timed == 0);
  reused.key = "other";
  reused.elapsed = 200s;
  CHECK(ids(compare_runs({made}, {reused}).slower) == Ids{"build:cpu"});
  reused.trace.clear();
  CHECK(compare_runs({made}, {reused}).timed == 0);
}

TEST_CASE("a test that passes with less evidence is listed") {
  StepOutcome ran = step("test:a", StepState::done);
  ran.evidence = plan::Evidence::ran;
  StepOutcome loaded = ran;
  loaded.evidence = plan::Evidence::loaded;
  CHECK(ids(compare_runs({ran}, {loaded}).less_evidence) == Ids{"test:a"});
  CHECK(compare_runs({loaded}, {ran}).less_evidence.empty());
}

TEST_CASE("of several outcomes of a step the one that says most counts") {
  const auto found =
      compare_runs({step("build:cpu", StepState::done, 10s), step("build:cpu", StepState::reused)},
                   {step("build:cpu", StepState::blocked), step("build:cpu", StepState::failed)});
  CHECK(ids(found.newly_red) == Ids{"build:cpu"});
  CHECK(found.shared == 1);
}

TEST_CASE("distributions whose bytes differ are paired by step") {
  const auto found = compare_runs({build("one", 10)}, {build("two", 12)});
  REQUIRE(found.files.size() == 1);
  CHECK(found.files[0].before->size == 10);
  CHECK(found.files[0].after->size == 12);
  CHECK(compare_runs({build("one", 10)}, {build("one", 10)}).files.empty());
  const auto fresh = compare_runs({}, {build("one", 10)});
  REQUIRE(fresh.files.size() == 1);
  CHECK(!fresh.files[0].before);
  // A build that failed has no file, and none is reported as gone.
  CHECK(compare_runs({build("one", 10)}, {step("build:cpu", StepState::failed)}).files.empty());
}

TEST_CASE("files are paired by name, without versions, where another file comes or goes") {
  StepOutcome before = step("build:cpu", StepState::done);
  before.outputs = {{"ops-1.0+cpu-cp312-cp312-linux_x86_64.whl", "a", 1},
                    {"ops-1.0-cp312-cp312-linux_x86_64.whl", "b", 2}};
  StepOutcome after = before;
  after.outputs = {{"ops-1.1-1-cp312-cp312-linux_x86_64.whl", "c", 3},
                   {"ops_cpu-1.1-cp312-cp312-linux_x86_64.whl", "d", 4},
                   {"ops-1.1+cpu-cp312-cp312-linux_x86_64.whl", "e", 5}};
  const auto files = compare_runs({before}, {after}).files;
  REQUIRE(files.size() == 3);
  CHECK(files[0].before->sha256 == "b");
  CHECK(files[0].after->sha256 == "c");
  CHECK_FALSE(files[1].before);
  CHECK(files[2].before->sha256 == "a");
  // A local version with the commit differs in every run.
  before.outputs = {{"ops-1.0.dev1+g1111111-py3-none-any.whl", "a", 1}};
  after.outputs = {{"ops-1.0.dev2+g2222222-py3-none-any.whl", "b", 1}};
  CHECK(compare_runs({before}, {after}).files.at(0).before->sha256 == "a");
}
