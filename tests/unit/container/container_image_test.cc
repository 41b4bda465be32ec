#include "container/container_image.h"

#include <algorithm>

#include "unit/catch.h"

using namespace pinwheel;
using namespace pinwheel::container;

namespace {

constexpr const char* kInspected = R"([{"Id":"sha256:11","Architecture":"amd64",
  "Config":{"Env":["PATH=/usr/bin:/bin","CUDA_HOME=/usr/local/cuda"],
            "Labels":{"io.pinwheel.key":"k1"}}}])";

}  // namespace

TEST_CASE("an inspected image has its id, key and variables") {
  const Result<ContainerImage> image = parse_image(kInspected);
  REQUIRE(image);
  CHECK(image->id == "sha256:11");
  CHECK(image->key == "k1");
  CHECK(image->architecture == "amd64");
  CHECK(image->variables.at("PATH") == "/usr/bin:/bin");
}

TEST_CASE("podman's id format is accepted, and an image without labels and variables") {
  const Result<ContainerImage> image = parse_image(R"([{"Id":"22","Config":{"Labels":null}}])");
  REQUIRE(image);
  CHECK(image->id == "sha256:22");
  CHECK(image->key == "sha256:22");
  CHECK(image->variables.empty());
  CHECK(image->base_id == "sha256:22");
}

TEST_CASE("an image from a registry has the registry's digest") {
  const Result<ContainerImage> image =
      parse_image(R"([{"Id":"22","RepoDigests":["debian@sha256:33"]}])");
  REQUIRE(image);
  CHECK(image->base_digests == std::vector<std::string>{"debian@sha256:33"});
}

TEST_CASE("a locally built image has no registry digest", "[env][container]") {
  for (const char* const digests : {"null", "[]", R"(["localhost/base@sha256:11"])"}) {
    const auto image = parse_image(R"([{"Id":"22","RepoDigests":)" + std::string(digests) + "}]");
    REQUIRE(image);
    CHECK(image->digests.empty());
    CHECK(image->base_id == image->id);
  }
}

TEST_CASE("any other text is an environment error") {
  for (const char* const text : {"", "[]", "{}", "[{}]", R"([{"Id":7}])"}) {
    const Result<ContainerImage> image = parse_image(text);
    REQUIRE_FALSE(image);
    CHECK(image.error().kind == ErrorKind::environment);
  }
}

TEST_CASE("the key of an image covers context, base and arguments, not the name of the base") {
  matrix::ContainerSettings request{
      "docker/build.Dockerfile", "debian:bookworm", {{"COMPUTE", "cpu"}}};
  const std::string key = image_key(request, "context", "sha256:base");
  request.base = "mirror.example/debian:bookworm";
  CHECK(image_key(request, "context", "sha256:base") == key);
  CHECK(image_key(request, "other", "sha256:base") != key);
  CHECK(image_key(request, "context", "sha256:newer") != key);
  request.arguments["COMPUTE"] = "cuda";
  CHECK(image_key(request, "context", "sha256:base") != key);
}

TEST_CASE("a build names its Dockerfile, base, key and tags, and uses BuildKit") {
  const ImageBuild build{
      "/usr/bin/docker",   "/p/docker/build.Dockerfile",
      "/p/docker",         {"docker/build.Dockerfile", "debian:bookworm", {{"A", "b"}}, "", "cuda"},
      "debian:bookworm",   "k1",
      {"pinwheel:abc-cpu"}};
  const ports::Command command = build_image(build, {});
  CHECK(command.environment.at("DOCKER_BUILDKIT") == "1");
  CHECK(command.argv.back() == "/p/docker");
  for (const char* const part :
       {"BASE_IMAGE=debian:bookworm", "A=b", "io.pinwheel.key=k1", "pinwheel:abc-cpu", "--target",
        "cuda", "/p/docker/build.Dockerfile"}) {
    CHECK(std::count(command.argv.begin(), command.argv.end(), part) == 1);
  }
}

TEST_CASE("tags contain the branch's slug and have at most 128 characters") {
  CHECK(*image_tag("", "0a1b2c3", "cp311-cpu") == "0a1b2c3-cp311-cpu");
  CHECK(*image_tag("Feature/New_Thing!", "0a1b2c3", "cpu") == "feature-new-thing-0a1b2c3-cpu");
  const std::string branch(200, 'b');
  const Result<std::string> cut = image_tag(branch, "0a1b2c3", "cp311-cpu");
  REQUIRE(cut);
  CHECK(cut->size() == 128);
  CHECK(cut->ends_with("-0a1b2c3-cp311-cpu"));
  CHECK(*image_tag(branch + "x", "0a1b2c3", "cp311-cpu") != *cut);
  const Result<std::string> too_long = image_tag("", "0a1b2c3", std::string(125, 'x'));
  REQUIRE_FALSE(too_long);
  CHECK(too_long.error().kind == ErrorKind::config);
}
