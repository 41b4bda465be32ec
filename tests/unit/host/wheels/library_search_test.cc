#include "host/wheels/library_search.h"

#include "unit/catch.h"

namespace pinwheel::host {
namespace {

using Directories = std::vector<std::string>;

TEST_CASE("directories of LD_LIBRARY_PATH are those that the loader searches") {
  CHECK(loader_directories("/a:/b/c", "/srv") == Directories{"/a", "/b/c"});
  CHECK(loader_directories("lib;../b", "/srv/in") == Directories{"/srv/in/lib", "/srv/b"});
  CHECK(loader_directories("./lib:", "/srv") == Directories{"/srv/lib", "/srv/"});
  CHECK(loader_directories("", "/srv").empty());
}

}  // namespace
}  // namespace pinwheel::host
