#include "inspect/search_path.h"

#include "unit/catch.h"

namespace pinwheel::inspect {
namespace {

TEST_CASE("the directory that a search path entry means") {
  CHECK(searched_directory("$ORIGIN", "demo/_C.so") == "demo");
  CHECK(searched_directory("${ORIGIN}/./lib/", "demo/_C.so") == "demo/lib");
  CHECK(searched_directory("$ORIGIN/..", "demo/_C.so") == "");
  CHECK(searched_directory("$ORIGIN/../../x", "demo/_C.so") == std::nullopt);
  CHECK(searched_directory("/usr/lib", "demo/_C.so") == std::nullopt);
}

TEST_CASE("the entry that means a directory") {
  CHECK(search_path_entry("demo.libs", "demo/_C.so") == "$ORIGIN/../demo.libs");
  CHECK(search_path_entry("demo/lib", "demo/sub/_C.so") == "$ORIGIN/../lib");
  CHECK(search_path_entry("demo", "demo/_C.so") == "$ORIGIN");
  CHECK(search_path_entry("demo.libs", "_C.so") == "$ORIGIN/demo.libs");
  CHECK(searched_directory(search_path_entry("a/b", "c/d/e.so"), "c/d/e.so") == "a/b");
}

TEST_CASE("faults of entries") {
  CHECK(search_path_fault("$ORIGIN/../x", "demo/_C.so").empty());
  CHECK(search_path_fault("", "demo/_C.so") == "is empty, which means the current directory");
  CHECK(search_path_fault("/x", "demo/_C.so") == "is not relative to $ORIGIN");
  CHECK(search_path_fault("$ORIGINAL", "demo/_C.so") == "is not relative to $ORIGIN");
  CHECK(search_path_fault("$ORIGIN/../..", "demo/_C.so") == "points outside site-packages");
}

}  // namespace
}  // namespace pinwheel::inspect
