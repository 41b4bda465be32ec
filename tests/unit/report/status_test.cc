#include "report/event_text.h"
#include "report/github_command.h"
#include "report/json_status.h"
#include "report/live_status.h"
#include "report/outlook_text.h"
#include "report/plain_status.h"
#include "unit/catch.h"

using namespace pinwheel;
using namespace std::chrono_literals;

namespace {

plan::Step step(const std::string& id) {
  plan::Step out;
  out.id = id;
  out.key = "k";
  return out;
}

plan::StepOutcome failed_build() {
  plan::StepOutcome outcome;
  outcome.id = "build:cpu";
  outcome.key = "k";
  outcome.state = plan::StepState::failed;
  outcome.attempts = 1;
  outcome.elapsed = 12s;
  outcome.log = "logs/build-cpu.1.log";
  outcome.error = Error{ErrorKind::step, "the build failed: 100% sure"};
  outcome.error->hint = "install a compiler";
  return outcome;
}

plan::StepOutcome skipped_test() {
  plan::StepOutcome outcome;
  outcome.id = "test:a";
  outcome.state = plan::StepState::skipped;
  outcome.attempts = 1;
  outcome.elapsed = 400ms;
  outcome.reason = "no cu130 torch here";
  return outcome;
}

run::Progress progress(std::chrono::milliseconds elapsed) {
  run::Progress out;
  out.total = 3;
  out.finished = 1;
  out.elapsed = elapsed;
  out.running = {{"build:cpu", 1, 4, elapsed}};
  return out;
}

report::Printer printer_to(std::string& text) {
  report::Printer printer;
  printer.out = [&text](std::string_view more) { text += more; };
  printer.command = printer.out;
  printer.facts = [](const plan::StepOutcome&) {
    return report::FailureFacts{{"cc: fatal", "##[error]::x"}, "pinwheel build --only build:cpu"};
  };
  return printer;
}

/// The same small run for any printer.
void replay(run::StatusSink& status) {
  plan::Plan plan;
  plan.steps = {step("env:x"), step("build:cpu"), step("test:a")};
  plan.digest = "d";
  status.plan_started(plan, 1);
  status.step_started(plan.steps[1], 1, 4);
  status.heartbeat(progress(30s));
  status.heartbeat(progress(61s));
  status.heartbeat(progress(90s));
  status.step_retry(plan.steps[1], Error{ErrorKind::transient, "no answer"}, 12s);
  status.step_started(plan.steps[1], 2, 1);
  status.step_finished(failed_build());
  status.step_finished(skipped_test());
  plan::Report report;
  report.outcomes = {failed_build(), skipped_test()};
  report.elapsed = 95s;
  status.summary(report);
}

const std::string kTable =
    "step       state    time  note\n"
    "build:cpu  failed   12s   the build failed: 100% sure\n"
    "test:a     skipped  0.4s  no cu130 torch here\n"
    "2 steps in 1m35s: 1 failed, 1 skipped\n";

const std::string kEvents =
    "3 steps, 1 reused, 2 to run\n"
    "started     build:cpu (4 cores)\n"
    "running     build:cpu for 1m01s (1 of 3 steps finished)\n"
    "retry       build:cpu again in 12s: no answer\n"
    "started     build:cpu, attempt 2\n"
    "failed      build:cpu 12s\n"
    "  error: the build failed: 100% sure\n"
    "  | cc: fatal\n"
    "  | ## [error]::x\n"
    "  log: logs/build-cpu.1.log\n"
    "  run this step again: pinwheel build --only build:cpu\n"
    "  hint: install a compiler\n";

const std::string kSkipped = "skipped     test:a 0.4s: no cu130 torch here\n";

}  // namespace

TEST_CASE("plain status is one line per event and a heartbeat each minute") {
  std::string text;
  report::PlainStatus status(printer_to(text));
  replay(status);
  CHECK(text == kEvents + kSkipped + kTable);
}

TEST_CASE("a heartbeat has the end of a step's log and the time that is left") {
  run::Progress now;
  now.total = 12;
  now.finished = 1;
  now.running = {{.id = "build:cpu", .elapsed = 18min, .log = "a.log", .earlier = 22min},
                 {.id = "env:ab", .elapsed = 2min, .log = "b.log"},
                 {.id = "build:cu130", .elapsed = 30min, .log = "c.log", .earlier = 25min}};
  const auto log_end = [](const std::string& log) -> std::string {
    if (log == "a.log") return "[3/12] nvcc a.cu\nwarning: \x1b[2Jb\n";
    if (log == "b.log") {
      return "  Downloading torch-2.13.0.whl (191.8 MB)\nProgress 1 of 9\nProgress 12300000 of 9\n";
    }
    return std::string(300, 'x');
  };
  CHECK(
      report::heartbeat_lines(now, Color::never, log_end) ==
      "running     build:cpu for 18m00s, about 4m00s left (1 of 12 steps finished): [3/12] "
      "warning: b\n"
      "running     env:ab for 2m00s (1 of 12 steps finished): Downloading torch-2.13.0.whl (191.8 "
      "MB): 12 MB so far\n"
      "running     build:cu130 for 30m00s, 5m00s longer than before (1 of 12 steps finished): " +
          std::string(98, 'x') + "..\n");
  now.running.assign(20, now.running.front());
  const std::string many = report::heartbeat_lines(now, Color::never);
  CHECK(std::count(many.begin(), many.end(), '\n') == 9);
  CHECK(many.ends_with("running     12 more\n"));
}

TEST_CASE("a quiet run prints failed steps alone") {
  std::string text;
  report::FailuresOnly status(std::make_unique<report::PlainStatus>(printer_to(text)));
  replay(status);
  CHECK(text == kEvents.substr(kEvents.find("failed ")));
}

TEST_CASE("GitHub status groups the summary") {
  std::string text;
  report::GitHubStatus status(printer_to(text));
  replay(status);
  CHECK(text == kEvents + kSkipped + "::group::summary\n" + kTable + "::endgroup::\n");
}

TEST_CASE("an annotation escapes characters that would end it") {
  report::Annotation annotation{
      report::AnnotationLevel::error, "a:b,c", "x\r\n::set-output name=y::50%", {}};
  CHECK(report::github_annotation(annotation) ==
        "::error title=a%3Ab%2Cc::x\\r%0A: :set-output name=y::50%25\n");
  annotation = {report::AnnotationLevel::notice, "t", "m", Location{"a,b:c.cc", 12, 5, {}}};
  CHECK(report::github_annotation(annotation) ==
        "::notice file=a%2Cb%3Ac.cc,line=12,col=5,title=t::m\n");
  annotation.at = Location{"a.cc", 12, 0, {}};
  CHECK(report::github_annotation(annotation) == "::notice file=a.cc,line=12,title=t::m\n");
  annotation.at = Location{"a.cc", 0, 0, {}};
  CHECK(report::github_annotation(annotation) == "::notice title=t::m\n");
  CHECK(report::github_data("a\r\n%") == "a%0D%0A%25");
}

TEST_CASE("JSON status is one object per line") {
  std::string text;
  report::JsonStatus status([&text](std::string_view more) { text += more; });
  replay(status);
  CHECK(text ==
        "{\"event\":\"plan_started\",\"steps\":3,\"reused\":1,\"plan\":\"d\"}\n"
        "{\"event\":\"step_started\",\"id\":\"build:cpu\",\"attempt\":1,\"cores\":4}\n"
        "{\"event\":\"progress\",\"elapsed_ms\":61000,\"steps\":3,\"finished\":1,\"failed\":0,"
        "\"running\":[{\"id\":\"build:cpu\",\"elapsed_ms\":61000}]}\n"
        "{\"event\":\"step_retry\",\"id\":\"build:cpu\",\"kind\":\"transient\","
        "\"message\":\"no answer\",\"delay_ms\":12000}\n"
        "{\"event\":\"step_started\",\"id\":\"build:cpu\",\"attempt\":2,\"cores\":1}\n"
        "{\"event\":\"step_finished\",\"outcome\":{\"id\":\"build:cpu\",\"key\":\"k\","
        "\"state\":\"failed\",\"attempts\":1,\"elapsed_ms\":12000,\"log\":\"logs/build-cpu.1.log\","
        "\"error\":{\"kind\":\"step\",\"message\":\"the build failed: 100% sure\","
        "\"hint\":\"install a compiler\"}}}\n"
        "{\"event\":\"step_finished\",\"outcome\":{\"id\":\"test:a\",\"key\":\"\","
        "\"state\":\"skipped\",\"attempts\":1,\"elapsed_ms\":400,"
        "\"reason\":\"no cu130 torch here\"}}\n"
        "{\"event\":\"summary\",\"exit\":1,\"signal\":0,\"elapsed_ms\":95000}\n");
}

TEST_CASE("live lines fit the width and show running and remaining steps") {
  run::Progress now = progress(65s);
  now.failed = 1;
  now.retrying = {{"env:x", 5s}};
  now.running.push_back({"build:\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9-a-long-name", 2, 1, 3s});
  CHECK(report::live_lines(now, 80) ==
        std::vector<std::string>{
            "    1m05s  build:cpu",
            "     3.0s  build:\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9-a-long-name, attempt 2",
            "[1/3] 2 running, 1 to retry, 1 failed, 1m05s  [######--------------] 33%"});
  CHECK(report::live_lines(now, 22)[1] == "     3.0s  build:\xc3\xa9\xc3\xa9..");
  for (size_t width = 1; width < 60; ++width) {
    for (const std::string& line : report::live_lines(now, width)) {
      size_t count = 0;
      for (const char c : line) count += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1 : 0;
      CHECK(count < std::max<size_t>(width, 2));
    }
  }
  now.running.assign(12, now.running[0]);
  CHECK(report::live_lines(now, 80).size() == 10);
  CHECK(report::live_lines(now, 80)[8] == "  and 4 more");
}

TEST_CASE(
    "status lines show output, the time of an earlier run, and waiting steps with their needs") {
  run::Progress now = progress(12s);
  now.running[0].log = "cpu.log";
  now.running[0].earlier = 65s;
  now.pending = {{"test:a", {"build:cpu", "env:x"}}, {"build:b", {}}};
  now.pending_total = 6;
  const auto end = [](const std::string& log) { return log + "\n[3/12] Building a.o\n"; };
  CHECK(report::live_lines(now, 90, end) ==
        std::vector<std::string>{"      12s  build:cpu (took 1m05s)  [3/12] Building a.o",
                                 "    waits  test:a for build:cpu, env:x",
                                 "    waits  build:b for cores or memory", "           4 more",
                                 "[1/3] 1 running, 12s  [######--------------] 33%"});
}

namespace {

run::Progress predicted(std::chrono::milliseconds elapsed, run::Outlook outlook) {
  REQUIRE(::setenv("TZ", "UTC", 1) == 0);
  ::tzset();
  run::Progress out = progress(elapsed);
  out.now = std::chrono::sys_days{std::chrono::year{2026} / 1 / 2} + 14h + 30min;
  out.outlook = std::move(outlook);
  return out;
}

}  // namespace

TEST_CASE("the status shows the predicted end, how much is done, and the critical path") {
  const run::Progress now = predicted(65s, {195s, 0s, {"build:cpu", "test:a"}, 5});
  CHECK(report::live_lines(now, 80) ==
        std::vector<std::string>{
            "    1m05s  build:cpu", "  critical path: build:cpu, test:a and 3 more",
            "[1/3] 1 running, 1m05s, ~3m15s left, ends ~14:33  [#####---------------] 25%"});
  CHECK(report::live_lines(now, 70)[2] ==
        "[1/3] 1 running, 1m05s, ~3m15s left, ends ~14:33  [###----------] 25%");
  CHECK(report::live_lines(now, 55)[2] == "[1/3] 1 running, 1m05s, ~3m15s left, ends ~14:33");
  CHECK(report::heartbeat_lines(now, Color::never)
            .ends_with("predicted   ~3m15s left, ends ~14:33 (25% done); critical path: build:cpu, "
                       "test:a and 3 more\n"));
  for (size_t width = 1; width < 90; ++width) {
    for (const std::string& line : report::live_lines(now, width)) {
      CHECK(line.size() < std::max<size_t>(width, 2));
    }
  }
  CHECK(report::end_text(predicted(1s, {24h, 0s, {"a"}, 1})) == "~24h00m left, ends ~Sat 14:30");
}

TEST_CASE("the status admits that a step is overdue, and predicts nothing without measurements") {
  const run::Progress late = predicted(65s, {5s, 120s, {"build:cpu", "test:a"}, 2});
  CHECK(report::end_text(late) == "at least 5.0s left, `build:cpu` is overdue by 2m00s");
  const run::Progress unknown = progress(65s);
  CHECK(report::end_text(unknown).empty());
  CHECK(report::path_text(unknown).empty());
  CHECK(report::percent_done(unknown) == 33);
  CHECK(report::heartbeat_lines(unknown, Color::never).find("predicted") == std::string::npos);
}

TEST_CASE("only a finished run is done by 100%, and a bar never exceeds its width") {
  CHECK(report::percent_done(predicted(65s, {0s, 0s, {}, 0})) == 99);
  run::Progress all = progress(65s);
  all.finished = all.total;
  CHECK(report::percent_done(all) == 100);
  CHECK(report::progress_bar(100, 40) == "[####################] 100%");
  CHECK(report::progress_bar(0, 11) == "[------] 0%");
  CHECK(report::progress_bar(50, 11) == "[##---] 50%");
  CHECK(report::progress_bar(50, 10).empty());
}

TEST_CASE("the last output is one clean line with the newest counter") {
  CHECK(report::last_output("").empty());
  CHECK(report::last_output("one\ntwo\n") == "two");
  CHECK(report::last_output("a\r 50%\r\x1b[32m 100%\x1b[0m\tdone\x07\n") == "100% done");
  CHECK(report::last_output("[2/12] x\n[3/12] y\nwarning: unused\n") == "[3/12] warning: unused");
  CHECK(report::last_output("[ 3/12] y\n") == "[ 3/12] y");
  CHECK(report::last_output("[a/b] x\n[/] y\n[12] z\nend\n") == "end");
}

TEST_CASE("a second failure of the same cause is one line, another one is printed in full") {
  report::PrintedFailures printed;
  plan::StepOutcome first = failed_build();
  first.id = "build:cp311-cpu";
  first.log = "logs/build-cp311-cpu.1.log";
  const auto facts = [](const std::string& name, const std::string& error) {
    return report::FailureFacts{{"in /s/build-" + name + ".1", error},
                                "pinwheel reproduce " + name};
  };
  CHECK(printed.text_of(first, facts("cp311-cpu", "a.cc:1: no header")) ==
        report::failure_block(first, facts("cp311-cpu", "a.cc:1: no header")));
  plan::StepOutcome second = first;
  second.id = "build:cp312-cpu";
  second.log = "logs/build-cp312-cpu.1.log";
  CHECK(printed.text_of(second, facts("cp312-cpu", "a.cc:1: no header")) ==
        "  same error as `build:cp311-cpu`; log: logs/build-cp312-cpu.1.log\n");
  const auto other = facts("cp312-cpu", "a.cc:2: no header");
  CHECK(printed.text_of(second, other) == report::failure_block(second, other));
}

TEST_CASE(
    "one cause of several Pythons is printed once, and one message of several causes each time") {
  plan::StepOutcome first = failed_build();
  first.id = "build:cp311-cpu";
  first.error = Error{ErrorKind::check, "`a-1.0-cp311-cp311-linux_x86_64.whl` violates 1 rule"};
  first.error->causes = {{ErrorKind::check, "`_C.cpython-311-x86_64-linux-gnu.so` needs `libz`"}};
  plan::StepOutcome second = failed_build();
  second.id = "build:cp313t-cpu";
  second.error = Error{ErrorKind::check, "`a-1.0-cp313-cp313t-linux_x86_64.whl` violates 1 rule"};
  second.error->causes = {{ErrorKind::check, "`_C.cpython-313t-x86_64-linux-gnu.so` needs `libz`"}};
  CHECK(report::common_cause(first, {{"ninja: 12 done"}}) ==
        report::common_cause(second, {{"ninja: 13 done"}}));
  second.error->causes[0].message = "`_C.cpython-313t-x86_64-linux-gnu.so` needs `libm`";
  CHECK(report::common_cause(first, {}) != report::common_cause(second, {}));

  plan::StepOutcome test = failed_build();
  test.error = Error{ErrorKind::step, "the tests failed: exit code 1"};
  CHECK(report::common_cause(test, {{"1 failed in 0.31s"}}) ==
        report::common_cause(test, {{"1 failed in 12s"}}));
  CHECK(report::common_cause(test, {{"1 failed in 0.31s"}}) !=
        report::common_cause(test, {{"2 failed in 0.31s"}}));
  test.error->at = Location{"a.cc", 3, 0, {}};
  plan::StepOutcome below = test;
  below.error->at->line = 4;
  CHECK(report::common_cause(test, {}) != report::common_cause(below, {}));
}

TEST_CASE("live status redraws its status lines and leaves a clean screen") {
  std::string text;
  {
    report::LiveStatus status(printer_to(text), [] { return size_t{80}; });
    status.heartbeat(progress(1s));
    CHECK(text == "     1.0s  build:cpu\n[1/3] 1 running, 1.0s  [######--------------] 33%\n");
    text.clear();
    status.step_finished(skipped_test());
    CHECK(text == "\r\x1b[2A\x1b[J" + kSkipped +
                      "     1.0s  build:cpu\n[1/3] 1 running, 1.0s  [######--------------] 33%\n");
    text.clear();
  }
  CHECK(text == "\r\x1b[2A\x1b[J");
  text.clear();
  report::LiveStatus status(printer_to(text), [] { return size_t{80}; });
  replay(status);
  CHECK(text.substr(text.size() - kTable.size()) == kTable);
}

TEST_CASE("colors are used only if requested") {
  CHECK(report::finished_line(skipped_test(), Color::never) == kSkipped);
  CHECK(report::finished_line(skipped_test(), Color::always) ==
        "\x1b[33mskipped    \x1b[0m test:a 0.4s: no cu130 torch here\n");
}
