#include "pep/pypi.h"

#include "unit/catch.h"

using namespace pinwheel::pep;

TEST_CASE("PyPI's addresses are built from its names") {
  CHECK(simple_url(kPypiHost) == "https://pypi.org/simple/");
  CHECK(pypi_files_url() == "https://files." + std::string(kPypiFilesDomain));
}
