#include "host/slurm/earlier_jobs.h"

#include "host/system/files.h"
#include "unit/catch.h"
#include "unit/host/scratch.h"

using namespace pinwheel;

namespace {

/// What earlier callers left of the step "build:a".
struct Left {
  Scratch scratch;
  host::LocalFiles files;
  host::SlurmRunDirectory directory{files, scratch.path() / "run"};

  Left() { REQUIRE(directory.prepare("{}")); }
  static std::string token(int number) { return run::job_token("plan", "build:a", number); }
  void claim(int number) { REQUIRE(directory.claim(token(number), {"abc", 0, 1767323045})); }
  void end(int number, const std::string& mark) { directory.mark_ended(token(number), mark); }
  host::EarlierJobs::Jobs found() const {
    return host::EarlierJobs(directory).find("plan", "build:a");
  }
};

}  // namespace

TEST_CASE("the job that may still run is the last one with a claim") {
  Left left;
  CHECK(left.found().ended == 0);
  left.claim(1);
  CHECK(left.found().ended == 0);
  left.end(1, "lost");
  CHECK(left.found().ended == 1);
  SECTION("after a number that was withdrawn before it was submitted") {
    left.claim(3);
    CHECK(left.found().ended == 2);
    left.end(3, "failed");
    CHECK(left.found().ended == 3);
  }
  SECTION("after one that could not be canceled") {
    left.claim(2);
    left.claim(3);
    CHECK(left.found().ended == 2);
  }
}

TEST_CASE("the requests of earlier jobs stay as large as they were") {
  Left left;
  left.end(1, "out-of-memory");
  left.end(2, "node-failure");
  left.end(3, "time-limit");
  left.end(4, "out-of-memory");
  CHECK(left.found().growth == run::Growth{2, 1});
  SECTION("a later failure of the step changes nothing") {
    left.end(5, "failed");
    CHECK(left.found().growth == run::Growth{2, 1});
  }
  SECTION("they begin again after one that the cluster does not allow") {
    left.end(5, host::kNeverStarts);
    left.end(6, "time-limit");
    CHECK(left.found().growth == run::Growth{0, 1});
  }
}
