#include "host/wheels/library_search.h"

#include "unit/catch.h"

namespace pinwheel::host {
namespace {

using Directories = std::vector<std::string>;

TEST_CASE("directories of LD_LIBRARY_PATH are those that the loader searches") {
  CHECK(loader_directories("/a:/b/c", "/work") == Directories{"/a", "/b/c"});
  CHECK(loader_directories("lib;../b", "/work/in") == Directories{"/work/in/lib", "/work/b"});
  CHECK(loader_directories("./lib:", "/work") == Directories{"/work/lib", "/work/"});
  CHECK(loader_directories("", "/work").empty());
}

}  // namespace
}  // namespace pinwheel::host
