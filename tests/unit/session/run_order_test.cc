#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "host/run/journal_file.h"
#include "host/store/open_store.h"
#include "unit/session/run_world.h"

namespace pinwheel::session {
namespace {

using Texts = std::vector<std::string>;

/// The effects of a run, in order: changes of files below its state directory, and steps.
Texts effects_of(RunWorld& world) {
  Texts order;
  world.fake.files.on_change = [&](const std::string& line) { order.push_back(line); };
  world.host.perform = [&](const host::Workplace&, const run::Attempt& attempt, std::stop_token) {
    order.push_back("perform " + attempt.step->id);
    return world.fake.performed;
  };
  static_cast<void>(world.execute());
  world.fake.files.on_change = [](const std::string&) {};
  return order;
}

/// A store in a directory of the run.
std::shared_ptr<host::Store> store_of(const RunWorld& world, const std::string& directory) {
  host::StoreSetup setup;
  setup.places = {*store::parse_place("dir:" + directory)};
  setup.run = "run";
  setup.cache = world.scratch.path() / "cache";
  Result<std::unique_ptr<host::Store>> store = host::open_store(setup);
  REQUIRE(store);
  return *std::move(store);
}

Error refused_by(RunWorld& world) {
  const Result<report::RunReport> run = world.execute();
  REQUIRE_FALSE(run);
  CHECK(world.fake.acts.empty());
  return run.error();
}

TEST_CASE("directories are made before steps, and scratch files are removed last") {
  RunWorld world;
  CHECK(effects_of(world) == Texts{"remove " + world.at("scratch"), "make " + world.at("scratch"),
                                   "make " + world.at("logs/run"), "perform build:x",
                                   "perform test:x", "remove " + world.at("scratch")});
}

TEST_CASE("a state directory of another run is left alone") {
  RunWorld world;
  const auto held =
      host::JournalFile::open(world.scratch.path(), world.clock, store::Domain::branch);
  REQUIRE(held);
  CHECK(refused_by(world).kind == ErrorKind::environment);
  CHECK(world.fake.files.changes.empty());
}

TEST_CASE("a journal that cannot be read ends a run before its directories change") {
  RunWorld world;
  world.scratch.write("journal.jsonl", "{\"journal\":99}\n");
  CHECK(refused_by(world).kind == ErrorKind::config);
  CHECK(world.fake.files.changes.empty());
}

TEST_CASE("a domain that no run can have ends it before there is a journal") {
  RunWorld world;
  world.request.workplace.variables["PINWHEEL_STORE_DOMAIN"] = "nonsense";
  CHECK(refused_by(world).kind == ErrorKind::usage);
  CHECK_FALSE(std::filesystem::exists(world.scratch.path() / "journal.jsonl"));
}

TEST_CASE("secrets are required only for the steps that a run executes") {
  RunWorld world;
  CHECK(world.code() == 0);
  plan::TestWheel test;
  test.secrets = {"TOKEN"};
  world.request.plan.steps[1].action = test;
  CHECK(world.code() == 0);
  CHECK(world.console.hidden == 0);
  world.change_test();
  world.fake.acts.clear();
  CHECK(refused_by(world).message == "`TOKEN` is not set, and `test:x` needs it");
}

TEST_CASE("after a failed step others are executed only with `--keep-going`") {
  RunWorld world;
  world.request.plan.steps = {{"build:x", "b", plan::BuildWheel{}},
                              {"build:y", "c", plan::BuildWheel{}}};
  world.fake.performed = fail(ErrorKind::step, "a compiler failed");
  CHECK(world.code() == exit_code(ErrorKind::step));
  CHECK(world.fake.acts.size() == 1);
  world.options.keep_going = true;
  world.fake.acts.clear();
  CHECK(world.code() == exit_code(ErrorKind::step));
  CHECK(world.fake.acts.size() == 2);
}

TEST_CASE("the exit code is that of the kind of the failure") {
  for (const ErrorKind kind : {ErrorKind::check, ErrorKind::publish, ErrorKind::environment}) {
    RunWorld world;
    world.fake.performed = fail(kind, "it failed");
    CHECK(world.code() == exit_code(kind));
  }
}

TEST_CASE("a signal ends a run with its code, and the transfers of its store") {
  RunWorld world;
  world.host.perform = [](const host::Workplace&, const run::Attempt&,
                          const std::stop_token& stop) -> Result<run::Success> {
    ::kill(::getpid(), SIGINT);
    while (!stop.stop_requested()) std::this_thread::yield();
    return fail(ErrorKind::interrupted, "a process was stopped");
  };
  CHECK(world.code() == 130);
  CHECK(world.request.stop_store.stop_requested());
}

TEST_CASE("secrets are in no report and in no summary") {
  RunWorld world;
  auto hidden = std::make_shared<HiddenText>();
  hidden->add(Secret("correct horse battery"));
  world.request.workplace.hidden = std::move(hidden);
  world.request.origin = [] { return Result<plan::RunOrigin>(plan::RunOrigin{}); };
  world.fake.performed = fail(ErrorKind::step, "no access with correct horse battery");
  world.console.github = true;
  CHECK(world.code() == exit_code(ErrorKind::step));
  const std::string report = world.fake.files.text(world.at("logs/run/report.json"));
  CHECK(report.find("no access with") != std::string::npos);
  CHECK(report.find("horse") == std::string::npos);
  REQUIRE(world.console.summaries.size() == 1);
  CHECK(world.console.summaries.front().find("horse") == std::string::npos);
}

TEST_CASE("results of another machine are taken from the store, with a note") {
  RunWorld first;
  const std::string place = first.at("store");
  first.request.store = store_of(first, place);
  CHECK(first.code() == 0);
  RunWorld second;
  second.request.store = store_of(second, place);
  CHECK(second.code() == 0);
  CHECK(second.fake.acts.empty());
  CHECK(second.has_changed("rename " + second.at("dist")));
  REQUIRE_FALSE(second.console.notes.empty());
  CHECK(second.console.notes.front() == "found 2 results in the store\n");
  RunWorld repeated;
  repeated.request.store = store_of(repeated, place);
  repeated.request.repeated = {"test:x"};
  CHECK(repeated.code() == 0);
  CHECK(repeated.fake.acts == Texts{"perform test:x"});
}

TEST_CASE("an output directory that cannot be made ends a run before its first step") {
  RunWorld world;
  world.request.store = store_of(world, world.at("store"));
  world.fake.files.refused = "dist";
  CHECK(refused_by(world).message.starts_with("refused: "));
}

TEST_CASE("a missing result is named with the state directory and every place of the store") {
  RunWorld world;
  world.request.store = store_of(world, world.at("store"));
  world.request.requested = std::set<std::string>{"test:x"};
  const Error error = refused_by(world);
  CHECK(error.kind == ErrorKind::check);
  REQUIRE(error.causes.size() == 1);
  CHECK(error.causes.front().message == "`build:x` has no result in `" +
                                            world.scratch.path().string() +
                                            "`, `dir:" + world.at("store") + "`");
}

TEST_CASE("a test without a job is skipped, and asks for no runner") {
  RunWorld world;
  CHECK(world.code() == 0);
  world.change_test();
  world.fake.acts.clear();
  world.request.requested = std::set<std::string>{};
  CHECK_FALSE(world.execute());
  world.request.unplaced = {"test:x"};
  CHECK(world.code() == 0);
  CHECK(world.fake.acts.empty());
}

plan::Step gated_publication() {
  plan::Publish publish;
  publish.require_evidence = {{"test:x", "ran"}};
  return {"publish:index", "p", publish};
}

TEST_CASE("a gate is closed by a test with less evidence than is required") {
  RunWorld world;
  world.request.gate = std::vector<plan::Step>{gated_publication()};
  world.request.gate_message = "the gate holds";
  const Result<int> closed =
      run_plan(world.host, world.global, world.options, world.request, world.console);
  REQUIRE_FALSE(closed);
  CHECK(closed.error().kind == ErrorKind::check);
  CHECK(std::ranges::count(world.console.notes, "the gate holds\n") == 0);
  world.request.workplace.accepted = {{"x", "no hardware"}};
  CHECK(world.code() == 0);
  CHECK(std::ranges::count(world.console.notes, "the gate holds\n") == 1);
}

TEST_CASE("a failed run has the code of its failure, and its gate is not checked") {
  RunWorld world;
  world.request.gate = std::vector<plan::Step>{gated_publication()};
  world.fake.performed = fail(ErrorKind::step, "a compiler failed");
  CHECK(world.code() == exit_code(ErrorKind::step));
}

TEST_CASE("a gate that passed without a test is a warning, unless it is of one test") {
  RunWorld world;
  world.request.gate = std::vector<plan::Step>();
  world.host.perform = [](const host::Workplace&, const run::Attempt& attempt,
                          std::stop_token) -> Result<run::Success> {
    run::Success success;
    if (attempt.step->id == "test:x") success.skipped = "no GPU here";
    return success;
  };
  CHECK(world.code() == 0);
  REQUIRE(world.console.warnings.size() == 1);
  CHECK(world.console.warnings.front() ==
        "the gate passed, but no test was run: 1 of 1 was skipped (no GPU here)");
  world.request.requested = std::set<std::string>{"test:x"};
  CHECK(world.code() == 0);
  CHECK(world.console.warnings.size() == 1);
}

TEST_CASE("status lines are in the format of the command line") {
  RunWorld json;
  json.global.log_format = prepare::LogFormat::json;
  json.console.github = true;
  json.fake.performed = fail(ErrorKind::step, "a compiler failed");
  CHECK(json.code() == exit_code(ErrorKind::step));
  CHECK_FALSE(json.console.json_lines.empty());
  CHECK(json.console.annotations.empty());
  CHECK(json.console.summaries.size() == 1);
  RunWorld plain;
  CHECK(plain.code() == 0);
  CHECK(plain.console.json_lines.empty());
  CHECK_FALSE(plain.console.drawings.empty());
  RunWorld quiet;
  quiet.console.loudness = prepare::Verbosity::quiet;
  CHECK(quiet.code() == 0);
  CHECK(quiet.console.drawings.empty());
  quiet.change_test();
  quiet.fake.performed = fail(ErrorKind::check, "a test failed");
  CHECK(quiet.code() == exit_code(ErrorKind::check));
  CHECK_FALSE(quiet.console.drawings.empty());
}

/// The command that repeats a step that failed.
std::string again(const RunWorld& world, const std::string& step) {
  plan::StepOutcome outcome;
  outcome.id = step;
  KnownFailures failures(world.global, world.request);
  return failures.of(outcome).again;
}

TEST_CASE("a failed step is repeated by itself, but an upload with its run") {
  RunWorld world;
  CHECK(again(world, "build:x") == "pinwheel reproduce build:x");
  CHECK(again(world, "publish:index") == "pinwheel test m.yaml");
  world.global.state_dir = "own state";
  CHECK(again(world, "test:x") == "pinwheel reproduce test:x --state-dir 'own state'");
  world.request.program_arguments = "reproduce test:x";
  CHECK(again(world, "test:x") == "pinwheel reproduce test:x");
}

TEST_CASE("in a workflow a failed step is repeated from the page of its run") {
  RunWorld world;
  world.request.workplace.variables["GITHUB_STEP_SUMMARY"] = "/summary";
  world.request.workplace.variables["GITHUB_SERVER_URL"] = "https://example.org";
  world.request.workplace.variables["GITHUB_REPOSITORY"] = "me/demo";
  world.request.workplace.variables["GITHUB_RUN_ID"] = "7";
  CHECK(again(world, "test:x") == "pinwheel reproduce test:x");
  world.request.origin = [] { return Result<plan::RunOrigin>(plan::RunOrigin{}); };
  CHECK(again(world, "test:x") ==
        "pinwheel reproduce https://example.org/me/demo/actions/runs/7 test:x");
}

TEST_CASE("the log of a failure is read once for all its reports") {
  const RunWorld world;
  plan::StepOutcome outcome;
  outcome.id = "build:x";
  outcome.log = world.scratch.write("build.log", "one\ntwo\n").string();
  KnownFailures failures(world.global, world.request);
  CHECK(failures.of(outcome).log_tail.back() == "two");
  world.scratch.write("build.log", "three\n");
  CHECK(failures.of(outcome).log_tail.back() == "two");
}

TEST_CASE("a dry run executes nothing and writes nothing") {
  RunWorld world;
  world.options.dry_run = true;
  world.request.plan.steps = {{"publish:index", "p", plan::Publish{}}};
  CHECK(world.code() == 0);
  CHECK_FALSE(world.console.documents.empty());
  CHECK(world.fake.acts.empty());
  CHECK(world.fake.files.changes.empty());
  CHECK_FALSE(std::filesystem::exists(world.scratch.path() / "journal.jsonl"));
  world.options.jobs = -1;
  const Result<int> refused =
      run_plan(world.host, world.global, world.options, world.request, world.console);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::usage);
}

}  // namespace
}  // namespace pinwheel::session
