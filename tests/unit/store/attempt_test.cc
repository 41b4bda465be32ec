#include "store/attempt.h"

#include "base/digest.h"
#include "unit/catch.h"

namespace pinwheel::store {

TEST_CASE("an artifact's attempt is the number at the end of its name", "[store]") {
  CHECK(attempt_of("result-build-cpu-2") == 2);
  CHECK(attempt_of("result-test-cp311-torch2.13-10") == 10);
  CHECK(attempt_of("result-build-cu130") == 0);
  CHECK(attempt_of("result-2a") == 0);
  CHECK(attempt_of("result-") == 0);
  CHECK(attempt_of("result-99999999999999999999999") == 0);
  CHECK(attempt_of("7") == 0);
  CHECK(attempt_of("") == 0);
}

TEST_CASE("an artifact is that of the step in its name, and of no other", "[store]") {
  CHECK(artifact_of("build:cu130") == "build-cu130");
  CHECK(artifact_of("test:cp311-cpu@debian:12") ==
        "test-cp311-cpu-debian-12-" + sha256_hex("test:cp311-cpu@debian:12").substr(0, 8));
  CHECK(is_artifact_of("result-build-cu130-2", "build:cu130"));
  CHECK(is_artifact_of("result-build-cu130-1-2", "build:cu130-1"));
  for (const char* other :
       {"result-build-cu130-1-2", "result-test-cu130-2", "result-build-cu130",
        "result-build-cu130-", "result-build-cu130-0", "result-build-cu130-2x", "build-cu130-2",
        "result-build-cu1300-2", "xresult-build-cu130-2", ""}) {
    CHECK_FALSE(is_artifact_of(other, "build:cu130"));
  }
}

TEST_CASE("the latest attempt is asked first, by its number, and each order gives the same",
          "[store]") {
  const std::vector<std::string> ordered = {"result-a-10", "result-b-10", "result-a-9",
                                            "result-a-1",  "result-b-1",  "plan"};
  std::vector<std::string> given = ordered;
  std::ranges::sort(given);
  do {
    CHECK(latest_first(given) == ordered);
  } while (std::ranges::next_permutation(given).found);
  CHECK(latest_first({}).empty());
}

}  // namespace pinwheel::store
