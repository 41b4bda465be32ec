#include "doctor/doctor_containers.h"

#include "container/engine.h"
#include "unit/catch.h"

using namespace pinwheel;
using namespace pinwheel::doctor;

namespace {

DoctorFacts with_docker() {
  DoctorFacts facts;
  facts.engines[container::Engine::docker] = {
      .program = "/usr/bin/docker",
      .version = "20.10.24",
      .info = container::EngineInfo{"20.10.24+dfsg1", "/var/lib/docker", "2", {"runc"}},
      .storage_free = 50'000'000'000};
  return facts;
}

DoctorLine docker_line(const DoctorFacts& facts) {
  return engine_lines(facts).at(0);
}

}  // namespace

TEST_CASE("an engine that responds is shown with its version and storage") {
  const DoctorLine line = docker_line(with_docker());
  CHECK(line.verdict == DoctorVerdict::good);
  CHECK(line.found ==
        "20.10.24+dfsg1 in /usr/bin/docker, running, cgroup v2, 50 GB free in /var/lib/docker");
  CHECK(line.fix.empty());
}

TEST_CASE("what an engine lacks is reported with the command that fixes it") {
  DoctorFacts facts = with_docker();
  EngineFacts& docker = facts.engines[container::Engine::docker];
  docker.builds = false;
  CHECK(docker_line(facts).found.ends_with(", without BuildKit"));
  CHECK(docker_line(facts).fix == "apt-get install docker-buildx");
  docker.builds = true;
  docker.storage_free = 1'000'000'000;
  CHECK(docker_line(facts).verdict == DoctorVerdict::limited);
  CHECK(docker_line(facts).fix == "docker system prune");
  docker.info.reset();
  docker.silence = "Cannot connect to the Docker daemon\nIs it running?";
  CHECK(docker_line(facts).found ==
        "20.10.24 in /usr/bin/docker, does not respond (Cannot connect to the Docker daemon)");
  CHECK(docker_line(facts).fix == "systemctl start docker");
  docker.version.clear();
  CHECK(docker_line(facts).found == "/usr/bin/docker, printed no version in time");
  CHECK(docker_line(facts).fix.starts_with("run `/usr/bin/docker --version`"));
  const DoctorLine podman = engine_lines(facts).at(1);
  CHECK(podman.found == "none");
  CHECK(podman.fix == "apt-get install podman");
}

TEST_CASE("every engine with a client has a line of its name") {
  std::vector<std::string> named;
  for (const DoctorLine& line : engine_lines({})) named.push_back(line.name);
  std::vector<std::string> wanted;
  for (const container::Engine engine : container::kEngines) {
    if (container::client_of(engine)) wanted.emplace_back(to_string(engine));
  }
  CHECK(named == wanted);
}

TEST_CASE("GPUs are available in containers if an engine exposes them") {
  DoctorFacts facts = with_docker();
  EngineFacts& docker = facts.engines[container::Engine::docker];
  CHECK(gpu_containers_line(facts).verdict == DoctorVerdict::limited);
  CHECK(gpu_containers_line(facts).fix == "apt-get install nvidia-container-toolkit");
  docker.gpus = "runtime nvidia";
  CHECK(gpu_containers_line(facts).verdict == DoctorVerdict::good);
  CHECK(gpu_containers_line(facts).found == "docker with runtime nvidia");
}

TEST_CASE("arm64 is native, emulated, cross-compiled or not possible") {
  DoctorFacts facts;
  CHECK(arm64_line(facts).allows == "no aarch64 variants");
  CHECK(arm64_line(facts).fix == "apt-get install qemu-user-static binfmt-support");
  facts.arm64.cross_compiler = "aarch64-linux-gnu-g++ 12.2.0";
  CHECK(arm64_line(facts).allows == "C++ is cross-compiled");
  facts.arm64.emulation = container::Binfmt{"/usr/bin/qemu-aarch64", "P"};
  CHECK(arm64_line(facts).allows ==
        "aarch64 programs run emulated, but not in containers; C++ is cross-compiled");
  CHECK(arm64_line(facts).verdict == DoctorVerdict::limited);
  facts.arm64.emulation->flags = "PF";
  CHECK(arm64_line(facts).verdict == DoctorVerdict::good);
  facts.arm64.machine = "aarch64";
  CHECK(arm64_line(facts).found == "native");
}
