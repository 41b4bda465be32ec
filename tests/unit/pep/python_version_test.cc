#include "pep/python_version.h"

#include "unit/catch.h"

using namespace pinwheel;

TEST_CASE("a Python has a minor version, and a `t` since 3.13") {
  for (const char* version : {"3.8", "3.10", "3.12.4", "3.13t", "3.13.2t", "3.16", "3.100"}) {
    INFO(version);
    CHECK(pep::is_python_version(version));
  }
  for (const char* version :
       {"",        "3",        "3.",    "3.x",      "3.12x",   "3.12t",        "3.13tt",
        "3.13T",   "3.012",    "2.7",   "4.0",      "313",     "cp312",        "3.12.x",
        "3.1.2.3", "pypy3.10", " 3.12", "3.12-dev", "3.12rc1", "3.99999999999"}) {
    INFO(version);
    CHECK_FALSE(pep::is_python_version(version));
  }
}

TEST_CASE("the hint is the Python that was meant") {
  CHECK(pep::python_version_hint("3.12x") == "did you mean `3.12`?");
  CHECK(pep::python_version_hint("312") == "did you mean `3.12`?");
  CHECK(pep::python_version_hint("cp313t") == "did you mean `3.13t`?");
  CHECK(pep::python_version_hint("python3.11") == "did you mean `3.11`?");
  CHECK(pep::python_version_hint("3.13T") == "did you mean `3.13t`?");
  CHECK(pep::python_version_hint("3.12t") == "Pythons without the global lock begin with `3.13t`");
  CHECK(pep::python_version_hint("3.12.x") == "did you mean `3.12`?");
  CHECK(pep::python_version_hint("3.x").starts_with("write it as `3.12`"));
  CHECK(pep::python_version_hint("nightly").starts_with("write it as `3.12`"));
}
