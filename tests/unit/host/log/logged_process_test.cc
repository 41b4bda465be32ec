#include "host/log/logged_process.h"

#include "fakes/fake_clock.h"
#include "fakes/recorded_log.h"
#include "host/system/clock.h"
#include "host/system/process.h"
#include "unit/catch.h"
#include "unit/host/scratch.h"

using namespace pinwheel;

namespace {

using List = std::vector<std::string>;

/// A process that takes two seconds of a fake clock.
class SlowProcess final : public ports::Process {
 public:
  explicit SlowProcess(fakes::FakeClock& clock) : clock_(clock) {}
  Result<ports::Captured> capture(const ports::Command& /*command*/) override {
    clock_.move_to(clock_.steady() + std::chrono::seconds(2));
    return ports::Captured{answer, "", ""};
  }
  Result<ports::Exit> log(const ports::Command& /*command*/,
                          const std::filesystem::path& /*log*/) override {
    return fail(ErrorKind::environment, "there is no `demo`");
  }

  ports::Exit answer = {};

 private:
  fakes::FakeClock& clock_;
};

}  // namespace

TEST_CASE("a process is logged when it starts, with the names of its variables, and when it ends") {
  fakes::FakeClock clock;
  fakes::RecordedLog log;
  SlowProcess inner(clock);
  inner.answer = {.code = 3, .peak_memory = 4096};
  host::LoggedProcess process(inner, log, clock);
  REQUIRE(process.capture({.argv = {"pip", "--token", "abc", "https://u:p@h/s?t=1"},
                           .directory = "/work",
                           .environment = {{"A_TOKEN", "hidden"}, {"PATH", "/bin"}}}));
  REQUIRE(log.events.size() == 2);
  CHECK(log.events[0].name == "process_started");
  CHECK(fakes::value_of(log.events[0], "argv") ==
        ports::LogValue(List{"pip", "--token", "***", "https://***@h/s?***"}));
  CHECK(fakes::value_of(log.events[0], "directory") == ports::LogValue(std::string("/work")));
  CHECK(fakes::value_of(log.events[0], "variables") == ports::LogValue(List{"A_TOKEN", "PATH"}));
  CHECK(log.events[1].name == "process_ended");
  CHECK(fakes::value_of(log.events[1], "process") == fakes::value_of(log.events[0], "process"));
  CHECK(fakes::value_of(log.events[1], "code") == ports::LogValue(int64_t{3}));
  CHECK(fakes::value_of(log.events[1], "elapsed_ms") == ports::LogValue(int64_t{2000}));
  CHECK(fakes::value_of(log.events[1], "peak_bytes") == ports::LogValue(int64_t{4096}));
}

TEST_CASE("a process that cannot be started has its error in the log, a killed one its signal") {
  fakes::FakeClock clock;
  fakes::RecordedLog log;
  SlowProcess inner(clock);
  host::LoggedProcess process(inner, log, clock);
  CHECK_FALSE(process.log({.argv = {"demo"}}, "/logs/a.log"));
  inner.answer = {.signal = 9, .timed_out = true};
  REQUIRE(process.capture({.argv = {"demo"}}));
  REQUIRE(log.events.size() == 4);
  CHECK(fakes::value_of(log.events[0], "output") == ports::LogValue(std::string("/logs/a.log")));
  CHECK(fakes::value_of(log.events[1], "error") ==
        ports::LogValue(std::string("there is no `demo`")));
  CHECK(fakes::value_of(log.events[3], "ending") == ports::LogValue(std::string("timed out")));
  CHECK(fakes::value_of(log.events[3], "signal") == ports::LogValue(int64_t{9}));
}

TEST_CASE("the memory in the log is that of the largest process") {
  host::SystemClock clock;
  fakes::RecordedLog log;
  host::ChildProcesses children;
  host::LoggedProcess process(children, log, clock);
  REQUIRE(process.capture(
      {.argv = {"sh", "-c", "sh -c 'head -c 100000000 /dev/zero | tail -c 90000000' | wc -c"},
       .environment = {{"PATH", "/usr/bin:/bin"}}}));
  const ports::LogValue peak = fakes::value_of(log.events.at(1), "peak_bytes");
  CHECK(std::get<int64_t>(peak) > 80'000'000);
}
