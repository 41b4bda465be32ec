#include "plan/step_id.h"

#include <string>
#include <string_view>
#include <utility>

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

TEST_CASE("an id is parsed into its kind and name, and printed from them") {
  const std::pair<const char*, StepId> ids[] = {
      {"sdist", {StepKind::sdist, ""}},
      {"sdist:my-data", {StepKind::sdist, "my-data"}},
      {"env:ab12", {StepKind::environment, "ab12"}},
      {"toolkit:cuda-ab12", {StepKind::toolkit, "cuda-ab12"}},
      {"build:cpu", {StepKind::build, "cpu"}},
      {"device:cu13@12.0-ptx", {StepKind::device, "cu13@12.0-ptx"}},
      {"test:cp311-cpu@a:b", {StepKind::test, "cp311-cpu@a:b"}},
      {"install:cp311-cpu", {StepKind::install, "cp311-cpu"}},
      {"publish:index", {StepKind::publish, "index"}},
  };
  for (const auto& [text, id] : ids) {
    INFO(text);
    CHECK(parse_step_id(text) == id);
    CHECK(kind_of_step(text) == id.kind);
    CHECK(to_string(id) == text);
  }
  for (const char* text :
       {"", ".", "..", "build", "build:", "cp311-cpu", "sdist:", "/build:cpu", "tests:a"}) {
    INFO(text);
    CHECK_FALSE(parse_step_id(text));
    CHECK_FALSE(kind_of_step(text));
  }
}

TEST_CASE("ids are made of a class, a target or nothing") {
  CHECK(build_id("cpu") == "build:cpu");
  CHECK(device_id("cu13", "12.0+PTX") == "device:cu13@12.0-ptx");
  CHECK(build_of_device_code("device:cu13@12.0-ptx") == "build:cu13");
  CHECK(publish_id("pypi") == "publish:pypi");
  CHECK(sdist_id() == "sdist");
  CHECK(sdist_id("my-data") == "sdist:my-data");
  CHECK(is_sdist("sdist"));
  CHECK(is_sdist("sdist:my-data"));
  CHECK_FALSE(is_sdist("build:sdist"));
}

TEST_CASE("some steps make files to publish, and some make environments") {
  const auto names = [](bool (*matches)(std::string_view)) {
    std::string found;
    for (const char* id : {"env:a", "toolkit:a", "build:a", "sdist", "test:a", "publish:a", "x"}) {
      if (matches(id)) found += std::string(id) + " ";
    }
    return found;
  };
  CHECK(names(makes_files) == "build:a sdist ");
  CHECK(names(prepares) == "env:a toolkit:a ");
}

TEST_CASE("the ids of environments and toolkits are those of their requests") {
  pinwheel::env::Request request{.python = "3.11", .requirements = {"cmake"}};
  const std::string id = environment_step_id(pinwheel::env::digest(request));
  CHECK(id.starts_with("env:"));
  CHECK(id.size() == 16);
  request.toolkit = "cuda/13.0.2";
  CHECK(environment_step_id(pinwheel::env::digest(request)) == id);
  CHECK(toolkit_step_id(request).starts_with("toolkit:cuda-13.0-"));
  request.requirements = {"ninja"};
  CHECK(environment_step_id(pinwheel::env::digest(request)) != id);
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
