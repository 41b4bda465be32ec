#include "env/python_source.h"

#include "unit/catch.h"

using namespace pinwheel::env;

TEST_CASE("a source of Python is read by its name") {
  for (const PythonSource source : kPythonSources) {
    CHECK(parse_python_source(to_string(source)) == source);
  }
  CHECK_FALSE(parse_python_source("uv"));
}
