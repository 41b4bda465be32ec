#include "prepare/budget.h"

#include <cstdlib>
#include <limits>

#include "unit/catch.h"

namespace pinwheel::prepare {
namespace {

int most_with(const char* max_jobs, const char* parallel) {
  setenv("MAX_JOBS", max_jobs, 1);
  setenv("CMAKE_BUILD_PARALLEL_LEVEL", parallel, 1);
  const int most = most_jobs();
  unsetenv("MAX_JOBS");
  unsetenv("CMAKE_BUILD_PARALLEL_LEVEL");
  return most;
}

TEST_CASE("the caller's variables cap the jobs of one build, the smaller wins") {
  constexpr int kAny = std::numeric_limits<int>::max();
  CHECK(most_with("3", "2") == 2);
  CHECK(most_with("3", "8") == 3);
  CHECK(most_with("3", "") == 3);
  CHECK(most_with("", "") == kAny);
  CHECK(most_with("0", "many") == kAny);
  CHECK(most_with("2.5", "-1") == kAny);
  setenv("MAX_JOBS", "2", 1);
  CHECK(budget_of({})->cores_per_step == 2);
  unsetenv("MAX_JOBS");
}

}  // namespace
}  // namespace pinwheel::prepare
