#include "env/classify_compiler.h"

#include "unit/catch.h"

using namespace pinwheel;

namespace {

void check_place(std::string_view line, const std::string& file, int row, int column) {
  INFO(line);
  const std::optional<Location> place = env::source_place(line);
  REQUIRE(place);
  CHECK(place->file == file);
  CHECK(place->line == row);
  CHECK(place->column == column);
}

}  // namespace

TEST_CASE("the place of an error is read from the line of each tool") {
  check_place("csrc/ops.cc:12:5: error: expected ';'", "csrc/ops.cc", 12, 5);
  check_place("/tmp/b/src/a b.cc:3: error: no", "/tmp/b/src/a b.cc", 3, 0);
  check_place("csrc/ops.cu(40): error: identifier \"x\" is undefined", "csrc/ops.cu", 40, 0);
  check_place("CMake Error at cmake/deps.cmake:7 (message): no BLAS", "cmake/deps.cmake", 7, 0);
  check_place("../meson.build:3:1: ERROR: Dependency \"zlib\" not found", "../meson.build", 3, 1);
  check_place("/usr/bin/ld: a.o: in function `f': /src/a.cc:9: undefined reference to `g'",
              "/src/a.cc", 9, 0);
  check_place("src/lib.rs:3:5", "src/lib.rs", 3, 5);
}

TEST_CASE("a line without a place has none") {
  for (const char* line :
       {"", "error: command 'gcc' failed", "ops.cc:(.text+0x10): undefined reference to `g'",
        ":12: error", "a.cc:0: error", "a.cc:99999999: error", "a.cc(12: error", "a:12b", "("}) {
    INFO(line);
    CHECK_FALSE(env::source_place(line));
  }
}
