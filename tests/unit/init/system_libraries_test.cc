#include "init/system_libraries.h"

#include "unit/catch.h"

namespace pinwheel::init {
namespace {

using Texts = std::vector<std::string>;

TEST_CASE("packages that commands install") {
  CHECK(installed_packages("yum install -y openssl-devel libffi-devel && make install") ==
        Texts{"openssl-devel", "libffi-devel"});
  CHECK(installed_packages("apt-get update && apt-get -y install zlib1g-dev") ==
        Texts{"zlib1g-dev"});
  CHECK(installed_packages("bash install.sh").empty());
}

TEST_CASE("the line for Debian, as far as names are known") {
  CHECK(apt_line({"openssl-devel", "zlib1g-dev", "ZLIB"}) ==
        "`apt-get install libssl-dev zlib1g-dev`");
  CHECK(apt_line({"libodd", "z"}) ==
        "`apt-get install zlib1g-dev`, and find the package of `libodd` by `apt-cache search`");
}

TEST_CASE("libraries of build files; what comes with compilers and packages is none") {
  ProjectFacts facts;
  CHECK(system_libraries(facts).empty());
  facts.cmake = project::CMakeLists{.packages = {"Python", "Torch", "OwnPackage", "ZLIB"},
                                    .pkg_config = {"libodd", "${NAME}"}};
  facts.setup_py = project::SetupPy{.libraries = {"m", "own", "yaml"}};
  const auto found = system_libraries(facts);
  REQUIRE(found.size() == 2);
  CHECK(found[0].what == "libraries of the system: `ZLIB`, `libodd` (CMakeLists.txt)");
  CHECK(found[1].why == "if the build needs them: `apt-get install libyaml-dev`");
}

TEST_CASE("headers of sources name libraries that no build file names") {
  ProjectFacts facts;
  facts.sources = {{.path = "a.pyx", .includes = {"zfp.h", "own.h", "Python.h", "openssl/err.h"}},
                   {.path = "b.c", .includes = {"zfp/bitstream.h", "zlib.h"}}};
  facts.setup_py = project::SetupPy{.libraries = {"z"}};
  const auto found = system_libraries(facts);
  REQUIRE(found.size() == 2);
  CHECK(found[0].what == "libraries of the system: `z` (setup.py)");
  CHECK(found[1].what == "headers of the system: `openssl/err.h`, `zfp.h` (a.pyx)");
  CHECK(found[1].why == "if the build needs them: `apt-get install libssl-dev libzfp-dev`");
}

}  // namespace
}  // namespace pinwheel::init
