#include "base/map_difference.h"

#include <map>
#include <string>
#include <vector>

#include "unit/catch.h"

using namespace pinwheel;

TEST_CASE("maps differ in the names that one has, the other lacks, or both have differently") {
  const std::map<std::string, int> then = {{"a", 1}, {"gone", 2}, {"same", 3}};
  const std::map<std::string, int> now = {{"a", 9}, {"new", 4}, {"same", 3}};
  CHECK(map_differences(then, now) == std::vector<MapDifference<int>>{{"a", 1, 9},
                                                                      {"gone", 2, std::nullopt},
                                                                      {"new", std::nullopt, 4}});
  CHECK(map_differences(then, then).empty());
}
