#include "matrix/target_kind.h"

#include "unit/catch.h"

using namespace pinwheel::matrix;

TEST_CASE("a kind of target is parsed from its printed name") {
  for (const TargetKind kind : kTargetKinds) CHECK(parse_target_kind(to_string(kind)) == kind);
  CHECK_FALSE(parse_target_kind("pip"));
  CHECK_FALSE(parse_target_kind(""));
}

TEST_CASE("a directory is the one kind of target that takes no uploads") {
  for (const TargetKind kind : kTargetKinds) {
    INFO(to_string(kind));
    CHECK((place_of(kind) == TargetPlace::directory) == (kind == TargetKind::directory));
  }
}
