#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "fakes/fake_host.h"
#include "host/system/clock.h"
#include "session/run_plan.h"
#include "unit/catch.h"
#include "unit/host/scratch.h"
#include "unit/session/recording_console.h"

namespace pinwheel::session {

/// A run of a build and its test, whose journal is in a directory of its own.
struct RunWorld {
  Scratch scratch = {};
  fakes::FakeHost fake;
  host::SystemClock clock = {};
  prepare::Host host{.files = fake.files,
                     .git = fake.git,
                     .clock = clock,
                     .variables = fake.host.variables,
                     .directory = "/repo",
                     .machine = fake.host.machine,
                     .http = fake.host.http,
                     .ask_backend = fake.host.ask_backend,
                     .perform = fake.host.perform};
  RecordingConsole console = {};
  prepare::GlobalOptions global = {};
  prepare::RunOptions options = {};
  RunRequest request = {};

  RunWorld() {
    request.plan.steps = {{"build:x", "b", plan::BuildWheel{}},
                          {"test:x", "t", plan::TestWheel{}, {"build:x"}}};
    request.workplace.state = scratch.path();
    request.workplace.logs = scratch.path() / "logs" / "run";
    request.workplace.output = scratch.path() / "dist";
    request.workplace.variables = host.variables;
    request.program_arguments = "test m.yaml";
    options.jobs = 1;
  }

  std::string at(const std::string& name) const { return (scratch.path() / name).string(); }
  Result<report::RunReport> execute() {
    return execute_run(host, global, options, request, console);
  }
  /// Changes the test, so that it has no result.
  void change_test() { request.plan.steps[1].parts = {{"command", "another"}}; }
  int code() {
    const Result<int> code = run_plan(host, global, options, request, console);
    INFO((code ? std::string() : render(code.error())));
    REQUIRE(code);
    return *code;
  }
  bool has_changed(const std::string& line) const {
    const std::vector<std::string>& changes = fake.files.changes;
    return std::find(changes.begin(), changes.end(), line) != changes.end();
  }
};

}  // namespace pinwheel::session
