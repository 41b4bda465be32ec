#include "prepare/workplace.h"

#include <algorithm>
#include <string>
#include <vector>

#include "unit/prepare/matrix_world.h"

namespace pinwheel::prepare {
namespace {

namespace fs = std::filesystem;

TEST_CASE("the cache is in the directory of a variable, else below the home directory") {
  fakes::FakeHost fake;
  auto& variables = fake.host.variables;
  CHECK(*cache_directory(fake.host) == "/home/u/.cache/pinwheel");
  variables["XDG_CACHE_HOME"] = "/fast";
  CHECK(*cache_directory(fake.host) == "/fast/pinwheel");
  variables["PINWHEEL_CACHE_DIR"] = "../own";
  CHECK(*cache_directory(fake.host) == "/own");
  variables = {};
  const Result<fs::path> none = cache_directory(fake.host);
  REQUIRE_FALSE(none);
  CHECK(none.error().kind == ErrorKind::environment);
  CHECK(none.error().hint == "set `HOME` or `XDG_CACHE_HOME`");
}

TEST_CASE("unnamed files are in TMPDIR, else not in memory") {
  CHECK(unnamed_files_directory({{"TMPDIR", "/scratch"}}) == "/scratch");
  CHECK(unnamed_files_directory({{"TMPDIR", ""}}) == "/var/tmp");
  CHECK(unnamed_files_directory({}) == "/var/tmp");
}

TEST_CASE("the directories of a workplace are absolute, and its logs have the time of the run") {
  fakes::FakeHost fake;
  RunScope scope = whole_scope(fake, kPlainYaml);
  scope.global.state_dir = "state";
  scope.global.output_dir = "/out";
  const Result<host::Workplace> workplace = make_workplace(fake.host, scope, ports::no_log());
  REQUIRE(workplace);
  CHECK(workplace->state == "/repo/state");
  CHECK(workplace->output == "/out");
  CHECK(workplace->matrix_directory == "/repo/");
  CHECK(workplace->logs.string().starts_with("/repo/state/logs/20260102T030405-"));
  CHECK(fake.files.text("state/.gitignore") == "*\n");
}

TEST_CASE("secrets in the user's variables are hidden from the first log on") {
  fakes::FakeHost fake;
  fake.host.variables["UPLOAD_TOKEN"] = "correct horse battery";
  const RunScope scope = whole_scope(fake, kPlainYaml);
  const Result<host::Workplace> workplace = make_workplace(fake.host, scope, ports::no_log());
  REQUIRE(workplace);
  CHECK(workplace->hidden->mask("correct horse battery").find("horse") == std::string::npos);
  CHECK(workplace->secrets.empty());
}

TEST_CASE("files and stores that are named are no source of a package") {
  fakes::FakeHost fake;
  RunScope scope = whole_scope(fake, kPlainYaml);
  scope.global.named_files = {"plan.json", "", "/abs/report.json"};
  scope.global.log_file = "run.log";
  scope.stores = {*store::parse_place("dir:results")};
  fake.host.stores = fail(ErrorKind::usage, "no place");
  const Result<host::Workplace> workplace = make_workplace(fake.host, scope, ports::no_log());
  REQUIRE(workplace);
  const auto is_named = [&](const char* path) {
    return std::ranges::find(workplace->named, fs::path(path)) != workplace->named.end();
  };
  for (const char* const path :
       {"/repo/plan.json", "/abs/report.json", "/repo/run.log", "/repo/results"}) {
    CAPTURE(path);
    CHECK(is_named(path));
  }
  CHECK_FALSE(is_named("/repo"));
}

TEST_CASE("builds in containers have a fixed path and no network, without a probe") {
  fakes::FakeHost fake;
  host::Workplace workplace;
  workplace.engine = container::Engine::docker;
  const host::Workplace made = with_path_mode(fake.host, workplace);
  CHECK(made.paths == host::PathMode::fixed);
  CHECK(made.build_network == ports::Network::loopback);
  CHECK(fake.process.started.empty());
}

TEST_CASE("builds on the host have the path and network that its namespaces allow") {
  fakes::FakeHost fake;
  const host::Workplace nothing = with_path_mode(fake.host, {});
  CHECK(nothing.paths == host::PathMode::real);
  CHECK(nothing.build_network == ports::Network::whole);
  fake.process.run = [](const ports::Command& command) -> Result<ports::Captured> {
    const bool network = command.network == ports::Network::loopback;
    return ports::Captured{{.code = network ? 0 : 1}, "", ""};
  };
  const host::Workplace offline = with_path_mode(fake.host, {});
  CHECK(offline.paths == host::PathMode::real);
  CHECK(offline.build_network == ports::Network::loopback);
}

TEST_CASE("an open network is noted if a build of the run disallows it") {
  fakes::FakeHost fake;
  plan::BuildWheel build;
  build.settings.build.network = matrix::BuildNetwork::none;
  plan::Step step{"build:x", "b", build};
  const plan::Step test{"test:x", "t", plan::TestWheel{}};
  host::Workplace workplace;
  workplace.build_network = ports::Network::loopback;
  note_open_network(workplace, {&step, &test}, fake.notices);
  workplace.build_network = ports::Network::whole;
  note_open_network(workplace, {&test}, fake.notices);
  CHECK(fake.notices.notes.empty());
  note_open_network(workplace, {&test, &step}, fake.notices);
  REQUIRE(fake.notices.notes.size() == 1);
  CHECK(fake.notices.notes.front().starts_with("builds reach the network: "));
}

}  // namespace
}  // namespace pinwheel::prepare
