#include "env/interpreter.h"

#include "unit/catch.h"

using namespace pinwheel;

TEST_CASE("numbers within names compare as numbers") {
  CHECK(env::is_newer_name("3.11.10", "3.11.9"));
  CHECK_FALSE(env::is_newer_name("3.11.9", "3.11.10"));
  CHECK(env::is_newer_name("cpython-3.12.1-linux", "cpython-3.11.9-linux"));
  CHECK(env::is_newer_name("3.13.0t", "3.13.0"));
  CHECK_FALSE(env::is_newer_name("3.11.7", "3.11.7"));
}
