#include "host/log/logged_files.h"

#include "fakes/fake_clock.h"
#include "fakes/recorded_log.h"
#include "host/system/files.h"
#include "unit/catch.h"
#include "unit/host/scratch.h"

using namespace pinwheel;

TEST_CASE("changes of files and locks are logged, reads are not") {
  Scratch scratch;
  fakes::FakeClock clock;
  fakes::RecordedLog log;
  host::LocalFiles disk;
  host::LoggedFiles files(disk, log, clock);
  const std::filesystem::path a = scratch.path() / "a";
  const std::filesystem::path b = scratch.path() / "b";
  REQUIRE(files.write(a, "123"));
  REQUIRE(files.read(a) == "123");
  REQUIRE(files.rename(a, b));
  CHECK_FALSE(files.rename(a, b));
  REQUIRE(files.lock(b, ports::IfLocked::fail));
  REQUIRE(files.remove_all(b));
  std::vector<std::string> names;
  for (const ports::LogEvent& event : log.events) names.push_back(event.name);
  CHECK(names ==
        std::vector<std::string>{"file_written", "file_moved", "file_moved", "locked", "removed"});
  CHECK(log.events[0].fields ==
        std::vector<ports::LogField>{{"path", a.string()}, {"bytes", int64_t{3}}});
  CHECK(log.events[2].fields.back().name == "error");
}
