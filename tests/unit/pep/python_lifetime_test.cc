#include "pep/python_lifetime.h"

#include "unit/catch.h"

using namespace pinwheel;
using namespace std::chrono;

TEST_CASE("a Python ends with the month of its schedule") {
  CHECK(pep::end_of_life("3.10") == year(2026) / October);
  CHECK(pep::end_of_life("3.13t") == year(2029) / October);
  CHECK_FALSE(pep::end_of_life("3.99"));
  CHECK_FALSE(pep::end_of_life("t"));
  CHECK_FALSE(pep::end_of_life(""));
}
