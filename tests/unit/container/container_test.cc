#include "container/container.h"

#include <algorithm>

#include "matrix/secret_name.h"
#include "unit/catch.h"

using namespace pinwheel;
using namespace pinwheel::container;

namespace {

Container some_container() {
  Container container{"/usr/bin/docker", "sha256:abc"};
  container.labels = {{"io.pinwheel.run", "r1"}};
  container.user = "7:8";
  container.mounts = {{"/cache", "/cache", Access::read_write}, {"/etc/pip.conf", "/etc/pip.conf"}};
  return container;
}

const std::map<std::string, std::string> kClient = {{"DOCKER_HOST", "unix:///s"}, {"HOME", "/me"}};

bool has(const std::vector<std::string>& argv, const std::vector<std::string>& part) {
  return std::search(argv.begin(), argv.end(), part.begin(), part.end()) != argv.end();
}

}  // namespace

TEST_CASE("no value of a name that a secret can have is among the client's arguments") {
  for (const char* const name :
       {"LICENSE_TOKEN", "PATH", "HOME", "USER", "TMPDIR", "LANG", "XDG_TOKEN", "DOCKER_TOKEN",
        "CONTAINERS_TOKEN", "BUILDKIT_TOKEN", "CONTAINER_TOKEN"}) {
    if (matrix::secret_name_problem(name)) continue;
    CAPTURE(name);
    const ports::Command command{{"make"}, "/", {{name, "s3cr3t-value"}}, {}};
    const ports::Command ran = run_in_container(some_container(), "n", command, kClient);
    CHECK(has(ran.argv, {"--env", name}));
    CHECK(ran.environment.at(name) == "s3cr3t-value");
    for (const std::string& argument : ran.argv) {
      CHECK(argument.find("s3cr3t-value") == std::string::npos);
    }
  }
  CHECK(matrix::secret_name_problem("DOCKER_TOKEN"));
  CHECK_FALSE(matrix::secret_name_problem("LICENSE_TOKEN"));
}

TEST_CASE("a client writes the id of a container to a file on request") {
  const ports::Command command{{"make"}, "/", {}, {}};
  const ports::Command plain = run_in_container(some_container(), "n", command, kClient);
  ports::Command ran = with_id_file(plain, "/state/n.id");
  CHECK(std::vector(ran.argv.begin(), ran.argv.begin() + 4) ==
        std::vector<std::string>{"/usr/bin/docker", "run", "--cidfile", "/state/n.id"});
  ran.argv.erase(ran.argv.begin() + 2, ran.argv.begin() + 4);
  CHECK(ran == plain);
}

TEST_CASE("a command runs through the client, with its mounts, user and directory") {
  ports::Command command{{"make", "all"}, "/build/src", {}, std::chrono::seconds(5)};
  command.mounts = {{"/scratch", "/build"}};
  const ports::Command ran = run_in_container(some_container(), "step-1", command, kClient);
  CHECK(ran.argv[0] == "/usr/bin/docker");
  CHECK(has(ran.argv, {"--pull", "never"}));
  CHECK(has(ran.argv, {"--name", "step-1"}));
  CHECK(has(ran.argv, {"--label", "io.pinwheel.run=r1"}));
  CHECK(has(ran.argv, {"--user", "7:8"}));
  CHECK(has(ran.argv, {"--workdir", "/build/src"}));
  CHECK(has(ran.argv, {"--mount", "type=bind,source=/cache,target=/cache"}));
  CHECK(has(ran.argv, {"--mount", "type=bind,source=/etc/pip.conf,target=/etc/pip.conf,readonly"}));
  CHECK(has(ran.argv, {"--mount", "type=bind,source=/scratch,target=/build"}));
  CHECK(has(ran.argv, {"sha256:abc", "make", "all"}));
  CHECK(ran.argv.back() == "all");
  CHECK(ran.timeout == command.timeout);
  CHECK(ran.mounts.empty());
}

TEST_CASE("values go through the client's environment, except those that it reads itself") {
  const ports::Command command{
      {"true"}, "/", {{"PIP_INDEX_URL", "https://user:secret@index"}, {"HOME", "/build/home"}}, {}};
  const ports::Command ran = run_in_container(some_container(), "n", command, kClient);
  CHECK(has(ran.argv, {"--env", "PIP_INDEX_URL"}));
  CHECK(has(ran.argv, {"--env", "HOME=/build/home"}));
  CHECK(ran.environment.at("PIP_INDEX_URL") == "https://user:secret@index");
  CHECK(ran.environment.at("HOME") == "/me");
  CHECK(std::none_of(ran.argv.begin(), ran.argv.end(), [](const std::string& each) {
    return each.find("secret") != std::string::npos;
  }));
}

TEST_CASE("variables that the image sets and the command does not are removed") {
  Container container = some_container();
  container.image_variables = {"PATH", "CUDA_HOME"};
  const ports::Command command{{"true"}, "/", {{"PATH", "/bin"}}, {}};
  const ports::Command ran = run_in_container(container, "n", command, kClient);
  CHECK(has(ran.argv, {"sha256:abc", "env", "-u", "CUDA_HOME", "true"}));
}

TEST_CASE("the client sees its own settings and no other variables of the user") {
  const auto variables = client_variables({{"DOCKER_HOST", "unix:///s"},
                                           {"HOME", "/me"},
                                           {"CONTAINERS_CONF", "/c"},
                                           {"PIP_INDEX_URL", "https://secret"}});
  CHECK(variables.size() == 3);
  CHECK_FALSE(variables.contains("PIP_INDEX_URL"));
}

TEST_CASE("a container's name contains only valid characters") {
  CHECK(container_name("pinwheel-a1-test:cp311+x/y") == "pinwheel-a1-test-cp311-x-y");
}

TEST_CASE("a shell gets the streams, and a terminal if there is one") {
  const ports::Command command{{"sh"}, "/", {}, {}};
  Container container = some_container();
  CHECK_FALSE(has(run_in_container(container, "n", command, kClient).argv, {"--interactive"}));
  container.attached = Attached::streams;
  const ports::Command piped = run_in_container(container, "n", command, kClient);
  CHECK(has(piped.argv, {"--interactive"}));
  CHECK_FALSE(has(piped.argv, {"--tty"}));
  container.attached = Attached::terminal;
  CHECK(has(run_in_container(container, "n", command, kClient).argv, {"--interactive", "--tty"}));
}

TEST_CASE("a command that is cut off from the network has a container without one") {
  Container container = some_container();
  container.network = "host";
  ports::Command command{{"make"}, "/", {}, {}};
  CHECK(has(run_in_container(container, "n", command, kClient).argv, {"--network", "host"}));
  command.network = ports::Network::loopback;
  const ports::Command ran = run_in_container(container, "n", command, kClient);
  CHECK(has(ran.argv, {"--network", "none"}));
  CHECK_FALSE(has(ran.argv, {"--network", "host"}));
}
