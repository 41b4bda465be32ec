#include "base/byte_ranges.h"

#include "unit/catch.h"

using namespace pinwheel;

TEST_CASE("ranges are joined across small gaps, and the missing ones are known") {
  CHECK(joined_ranges({{50, 60}, {0, 10}, {12, 20}, {5, 8}, {9, 9}}, 2) ==
        std::vector<ByteRange>{{0, 20}, {50, 60}});
  ByteRanges present;
  CHECK(present.contains({4, 4}));
  present.add({10, 20});
  present.add({30, 40});
  CHECK(present.missing({0, 50}) == std::vector<ByteRange>{{0, 10}, {20, 30}, {40, 50}});
  CHECK(present.missing({12, 35}) == std::vector<ByteRange>{{20, 30}});
  CHECK(present.missing({15, 20}).empty());
  present.add({20, 30});
  CHECK(present.contains({10, 40}));
  CHECK_FALSE(present.contains({9, 11}));
}
