#include "base/retries.h"

#include "unit/catch.h"

using namespace pinwheel;
using namespace std::chrono_literals;

TEST_CASE("the wait doubles from the least to the most") {
  CHECK(backoff(1, 5s, 30s, 0) == 5s);
  CHECK(backoff(2, 5s, 30s, 0) == 10s);
  CHECK(backoff(3, 5s, 30s, 0) == 20s);
  CHECK(backoff(4, 5s, 30s, 0) == 30s);
  CHECK(backoff(1000, 5s, 2min, 0) == 2min);
}

TEST_CASE("jitter takes away up to a half of a wait") {
  CHECK(backoff(2, 5s, 30s, 0.5) == 7500ms);
  CHECK(backoff(2, 5s, 30s, 1) == 5s);
  CHECK(backoff(9, 5s, 30s, 1) == 15s);
  CHECK(backoff(2, 5s, 30s, 7) == 5s);
}
