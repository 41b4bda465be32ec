#include "container/engine.h"

#include "unit/catch.h"

using namespace pinwheel::container;

TEST_CASE("docker reports its storage directory and its runtimes") {
  const auto info = container::parse_docker_info(
      R"({"ServerVersion": "20.10.24+dfsg1", "DockerRootDir": "/var/lib/docker", "Images": 3,
          "CgroupVersion": "2", "Runtimes": {"nvidia": {"path": "n"}, "runc": {"path": "runc"}}})");
  CHECK(info ==
        container::EngineInfo{"20.10.24+dfsg1", "/var/lib/docker", "2", {"nvidia", "runc"}});
}

TEST_CASE("a docker whose server does not respond has no info") {
  CHECK_FALSE(
      container::parse_docker_info(R"({"ServerVersion": "", "ServerErrors": ["no daemon"]})"));
  CHECK_FALSE(container::parse_docker_info("Cannot connect to the Docker daemon"));
  CHECK_FALSE(container::parse_docker_info("[]"));
  CHECK(container::parse_docker_info(
            R"({"ServerVersion": "26", "Runtimes": null, "CgroupVersion": 2})") ==
        container::EngineInfo{"26"});
}

TEST_CASE("podman reports the same in its own format") {
  const auto info = container::parse_podman_info(
      R"({"host": {"cgroupVersion": "v1", "ociRuntime": {"name": "crun"}},
          "store": {"graphRoot": "/var/lib/containers/storage"}, "version": {"Version": "4.3.1"}})");
  CHECK(info == container::EngineInfo{"4.3.1", "/var/lib/containers/storage", "1", {"crun"}});
  CHECK_FALSE(container::parse_podman_info("{}"));
  CHECK_FALSE(container::parse_podman_info(R"({"host": 1, "store": {}, "version": {}})"));
}

TEST_CASE("the kernel reports whether and how it runs programs of another architecture") {
  const auto found = container::parse_binfmt(
      "enabled\ninterpreter /usr/libexec/qemu-binfmt/aarch64-binfmt-P\nflags: PF\noffset 0\n");
  CHECK(found == container::Binfmt{"/usr/libexec/qemu-binfmt/aarch64-binfmt-P", "PF"});
  CHECK_FALSE(container::parse_binfmt("disabled\ninterpreter /usr/bin/qemu\nflags: \n"));
  CHECK_FALSE(container::parse_binfmt(""));
}
