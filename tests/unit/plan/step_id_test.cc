#include "plan/step_id.h"

#include <string>

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

TEST_CASE("text from outside is the id of a step by its form") {
  for (const char* id : {"sdist", "env:ab12", "toolkit:cuda-ab12", "build:cpu", "test:cp311-cpu@a",
                         "publish:index"}) {
    INFO(id);
    CHECK(is_step_id(id));
  }
  for (const char* text : {"", ".", "..", "build:", "cp311-cpu", "sdist:", "/build:cpu"}) {
    INFO(text);
    CHECK_FALSE(is_step_id(text));
  }
}

TEST_CASE("the name of a file for a step stays in its directory, and is the step's alone") {
  CHECK(file_name_of("build:cpu").starts_with("build-cpu-"));
  CHECK(file_name_of("build:a/b") != file_name_of("build:a-b"));
  CHECK(file_name_of(std::string(400, 'x')) != file_name_of(std::string(401, 'x')));
  for (const std::string& id :
       {std::string(), std::string(".."), std::string("test:../../a"), std::string(400, 'x')}) {
    INFO(id);
    const std::string name = file_name_of(id);
    CHECK(name.find('/') == std::string::npos);
    CHECK(name.size() > 12);
    CHECK(name.size() < 128);
    CHECK(name != "..");
  }
}
