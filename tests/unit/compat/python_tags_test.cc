#include "compat/python_tags.h"

#include "unit/catch.h"

namespace pinwheel::compat {
namespace {

bool runs(const std::string& tags, const std::string& python) {
  return runs_on(*pep::parse_tags(tags + "-linux_x86_64"), python);
}

TEST_CASE("a wheel runs on the Pythons that its tags name") {
  CHECK(runs("cp311-cp311", "cp311"));
  CHECK_FALSE(runs("cp311-cp311", "cp312"));
  CHECK(runs("cp310.cp311-none", "cp311"));
  CHECK(runs("py3-none", "cp39"));
  CHECK(runs("py2.py3-none", "cp313t"));
  CHECK_FALSE(runs("py2-none", "cp311"));
  CHECK_FALSE(runs("cp311-cp311", "pypy"));
}

TEST_CASE("the Stable ABI of CPython runs on later ones, not on free-threaded ones") {
  CHECK(runs("cp310-abi3", "cp310"));
  CHECK(runs("cp310-abi3", "cp313"));
  CHECK_FALSE(runs("cp310-abi3", "cp39"));
  CHECK_FALSE(runs("cp310-abi3", "cp313t"));
  CHECK(runs("cp315-abi3t", "cp316t"));
  CHECK_FALSE(runs("cp315-abi3t", "cp316"));
  CHECK_FALSE(runs("py312-none", "cp311"));
  CHECK(runs("cp313-cp313t", "cp313t"));
  CHECK_FALSE(runs("cp313-cp313t", "cp313"));
}

TEST_CASE("tags are described in words") {
  const auto text = [](const std::string& tags) {
    return python_text(*pep::parse_tags(tags + "-linux_x86_64"));
  };
  CHECK(text("cp311-cp311") == "CPython 3.11");
  CHECK(text("cp313-cp313t") == "CPython 3.13t");
  CHECK(text("cp310-abi3") == "CPython 3.10 and later");
  CHECK(text("py2.py3-none") == "any Python 2, any Python 3");
  CHECK(text("cp315-abi3t") == "free-threaded CPython 3.15 and later");
  CHECK(text("cp315t-abi3t") == "none");
  CHECK(text("cp310.cp311-none") == "CPython 3.10, CPython 3.11");
}

}  // namespace
}  // namespace pinwheel::compat
