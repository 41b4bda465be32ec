#include "base/retries.h"

#include <string>

#include "unit/catch.h"

using namespace pinwheel;

namespace {

/// The attempts and waits until a result is good, "1 w1 2 w2 3".
std::string course(int most, int good, int stopped_at = 100) {
  std::string text;
  int made = 0;
  const int result = with_retries(
      most,
      [&] {
        text += (text.empty() ? "" : " ") + std::to_string(++made);
        return made;
      },
      [&](int each) { return each < good; },
      [&](int count, int each) {
        CHECK(each == count);
        text += " w" + std::to_string(count);
        return count < stopped_at;
      });
  CHECK(result == made);
  return text;
}

}  // namespace

TEST_CASE("attempts end with the first good result, or when there were enough of them") {
  CHECK(course(3, 1) == "1");
  CHECK(course(3, 2) == "1 w1 2");
  CHECK(course(3, 9) == "1 w1 2 w2 3");
  CHECK(course(1, 9) == "1");
}

TEST_CASE("no attempt follows a wait that was stopped") {
  CHECK(course(5, 9, 2) == "1 w1 2 w2");
}
