#include "env/classify.h"

#include "unit/catch.h"
#include "unit/env/tool_output.h"

namespace pinwheel::env {
namespace {

std::string shown(const ports::Exit& exit, const std::string& name) {
  return classify_test(exit, tool_output(name)).line;
}

TEST_CASE("a test that aborts says why, and by which signal it ended") {
  constexpr ports::Exit kAborted{.signal = 6};
  CHECK(shown(kAborted, "terminate.txt") ==
        "std::runtime_error: Tried to register an operator (demo::f) with the same name and the "
        "same overload name twice (ended by signal 6)");
  for (const char* name : {"import_terminate.txt", "import_terminate_faulthandler.txt"}) {
    INFO(name);
    CHECK(shown(kAborted, name) == "std::invalid_argument: bad table (ended by signal 6)");
  }
  CHECK(shown({.code = 134}, "double_free.txt") ==
        "free(): double free detected in tcache 2 (exit code 134)");
  CHECK(shown(kAborted, "pytest_aborted.txt") ==
        "Fatal Python error: Aborted, at File \"/tmp/demo/py/test_d.py\", line 2 in test_x (ended "
        "by signal 6)");
}

TEST_CASE("a signal that nothing explains comes with the last line") {
  CHECK(shown({.signal = 11}, "import_segfault.txt") ==
        "ended by signal 11 after the line `loading`");
  CHECK(classify_test({.signal = 11}, "").line.empty());
}

TEST_CASE("an import that fails says which name is missing") {
  CHECK(shown({.code = 1}, "import_undefined.txt") ==
        "ImportError: /tmp/demo/lost.so: undefined symbol: nowhere");
  CHECK(shown({.code = 1}, "import_chained.txt") ==
        "ModuleNotFoundError: No module named 'numpyx'");
}

TEST_CASE("the first failure of pytest and of unittest is shown") {
  CHECK(shown({.code = 1}, "pytest_failed.txt") ==
        "test_a.py::test_bad: assert (1 + 1) == 3 (and 1 more)");
  CHECK(shown({.code = 2}, "pytest_collection.txt") ==
        "test_b.py: ModuleNotFoundError: No module named 'numpyx'");
  CHECK(shown({.code = 4}, "pytest_conftest.txt") ==
        "ModuleNotFoundError: No module named 'numpyx'");
  CHECK(shown({.code = 1}, "unittest_failed.txt") ==
        "test_a (__main__.T.test_a): AssertionError: 1 != 2");
}

TEST_CASE("the exit alone decides the kind of a test's failure") {
  CHECK(classify_test({.code = 1}, "No space left on device\n").kind == ErrorKind::step);
  CHECK(classify_test({.timed_out = true}, "ValueError: no\n").kind == ErrorKind::timeout);
  CHECK(classify_test({.code = 3}, "why\n").line.empty());
}

}  // namespace
}  // namespace pinwheel::env
