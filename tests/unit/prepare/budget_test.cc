#include "prepare/budget.h"

#include <limits>

#include "unit/catch.h"

namespace pinwheel::prepare {
namespace {

int most_with(const char* max_jobs, const char* parallel) {
  return most_jobs({{"MAX_JOBS", max_jobs}, {"CMAKE_BUILD_PARALLEL_LEVEL", parallel}});
}

TEST_CASE("the caller's variables cap the jobs of one build, the smaller wins") {
  constexpr int kAny = std::numeric_limits<int>::max();
  CHECK(most_with("3", "2") == 2);
  CHECK(most_with("3", "8") == 3);
  CHECK(most_with("3", "") == 3);
  CHECK(most_with("", "") == kAny);
  CHECK(most_with("0", "many") == kAny);
  CHECK(most_with("2.5", "-1") == kAny);
  CHECK(budget_of({{"MAX_JOBS", "2"}}, {})->cores_per_step == 2);
}

}  // namespace
}  // namespace pinwheel::prepare
