#include "plan/step_id.h"

#include "unit/catch.h"

using namespace pinwheel::plan;

TEST_CASE("a test's id names its variant, and the image if there is one") {
  CHECK(test_id("cp311-cpu") == "test:cp311-cpu");
  CHECK(test_id("cp311-cpu", "debian:bookworm") == "test:cp311-cpu@debian-bookworm");
  CHECK(test_id("cp311-cpu", "host:5000/Team/img@sha256:ab") ==
        "test:cp311-cpu@host-5000-team-img-sha256-ab");
}

TEST_CASE("the variant is parsed from a test's id, with or without an image") {
  CHECK(variant_of("test:cp311-cpu") == "cp311-cpu");
  CHECK(variant_of("test:cp311-cpu@debian-bookworm") == "cp311-cpu");
  CHECK(variant_of("cp311-cpu") == "cp311-cpu");
  CHECK(variant_of("build:cpu") == "build:cpu");
  CHECK(is_image_test("test:cp311-cpu@debian-bookworm"));
  CHECK_FALSE(is_image_test("test:cp311-cpu"));
}
