#include "host/dry_run/dry_container.h"

#include <algorithm>

#include "container/container_image.h"
#include "unit/catch.h"
#include "unit/host/scratch_machine.h"

using namespace pinwheel;
using namespace pinwheel::host;

namespace {

struct ContainerPlace : ScratchMachine {
  Workplace workplace;
  matrix::ContainerSettings settings{"docker/build.Dockerfile", "debian:12", {}};

  ContainerPlace() {
    workplace.cache = machine.cache;
    workplace.state = machine.state;
    workplace.output = scratch.path() / "dist";
    workplace.matrix_directory = "/project";
    workplace.containers.client = "/usr/bin/docker";
    workplace.containers.variables = {{"DOCKER_HOST", "unix:///d.sock"}};
    workplace.containers.images[container::digest(settings)] = {"sha256:ab", "key"};
  }
};

}  // namespace

TEST_CASE("the script finds the image by its key, and rebuilds it if it is missing") {
  const ContainerPlace place;
  const auto dry = dry_container(place.machine, place.workplace, place.settings);
  REQUIRE(dry.has_value());
  const std::string variable = "image_" + container::digest(place.settings).substr(0, 12);
  CHECK(dry->image_lines.starts_with(variable + "=$( (cd / && env -i DOCKER_HOST=unix:///d.sock "));
  CHECK(dry->image_lines.find("label=io.pinwheel.key=key") != std::string::npos);
  CHECK(dry->image_lines.find("build --file /project/docker/build.Dockerfile") !=
        std::string::npos);
  CHECK(dry->image_lines.find("BASE_IMAGE=debian:12") != std::string::npos);
}

TEST_CASE("an unmodified base image is found by its name, and pulled if it is missing") {
  ContainerPlace place;
  place.settings.dockerfile.clear();
  place.workplace.containers.images[container::digest(place.settings)] = {"sha256:ab", "sha256:ab"};
  const auto dry = dry_container(place.machine, place.workplace, place.settings);
  REQUIRE(dry.has_value());
  CHECK(dry->image_lines.find("image inspect --format '{{.Id}}' debian:12") != std::string::npos);
  CHECK(dry->image_lines.find("pull --quiet debian:12") != std::string::npos);
}

TEST_CASE("a command runs in a container without a name, which sees the script's own directory") {
  const ContainerPlace place;
  const auto dry = dry_container(place.machine, place.workplace, place.settings);
  REQUIRE(dry.has_value());
  const ports::Command command = in_dry_container(*dry, {{"true"}, "/", {{"LANG", "C"}}, {}});
  const std::vector<std::string>& argv = command.argv;
  CHECK(std::find(argv.begin(), argv.end(), "--name") == argv.end());
  CHECK(std::find(argv.begin(), argv.end(), "--rm") != argv.end());
  CHECK(std::find(argv.begin(), argv.end(),
                  "type=bind,source=@pinwheel-scratch@,target=@pinwheel-scratch@") != argv.end());
  CHECK(argv.back() == "true");
}

TEST_CASE("a container without an image is an internal error") {
  ContainerPlace place;
  place.workplace.containers.images.clear();
  const auto dry = dry_container(place.machine, place.workplace, place.settings);
  REQUIRE_FALSE(dry.has_value());
  CHECK(dry.error().kind == ErrorKind::internal);
}
