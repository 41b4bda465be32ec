#include "project/debian_package.h"

#include "unit/catch.h"

namespace pinwheel::project {
namespace {

TEST_CASE("a library has one package by whichever name") {
  for (const char* name : {"z", "zlib", "ZLIB", "zlib-devel"}) {
    INFO(name);
    CHECK(debian_package(name) == "zlib1g-dev");
  }
  CHECK(debian_package("libpq-fe") == "libpq-dev");
  CHECK(debian_package("nosuch").empty());
  CHECK(debian_package("").empty());
}

TEST_CASE("prefix and suffix of a distribution are no part of the name") {
  CHECK(plain_library_name("libpng-devel") == "png");
  CHECK(plain_library_name("libxml2-dev") == "xml2");
  CHECK(plain_library_name("ZLIB") == "zlib");
}

TEST_CASE("a header has the package of its library") {
  CHECK(debian_package_of_header("zfp.h") == "libzfp-dev");
  CHECK(debian_package_of_header("lzo/lzo1x.h") == "liblzo2-dev");
  CHECK(debian_package_of_header("curl/easy.h") == "libcurl4-openssl-dev");
  CHECK(debian_package_of_header("Eigen/Dense") == "libeigen3-dev");
  CHECK(debian_package_of_header("own.h").empty());
  CHECK(debian_package_of_header("own/x.hpp").empty());
}

}  // namespace
}  // namespace pinwheel::project
