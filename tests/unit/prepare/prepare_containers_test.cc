#include "prepare/prepare_containers.h"

#include <string>
#include <vector>

#include "fakes/fake_engine.h"
#include "unit/host/scratch.h"
#include "unit/prepare/matrix_world.h"

namespace pinwheel::prepare {
namespace {

using Texts = std::vector<std::string>;

constexpr const char* kContained = R"(
schema: pinwheel/1
package: {name: demo, source: .}
axes:
  python: ["3.11", "3.12"]
abi: {python: version}
environment:
  container: {base: "debian:12"}
)";

/// A run whose builds have one image.
struct ImageWorld {
  Scratch scratch = {};
  fakes::FakeHost fake{scratch.path()};
  fakes::FakeEngine engine{fake};
  host::Workplace workplace = {};
  LevelOptions levels = {};
  RunScope scope = {};
  PinnedImages pinned = {};

  explicit ImageWorld(const std::string& yaml = kContained) {
    workplace.state = scratch.path() / ".pinwheel";
    workplace.cache = scratch.path() / "cache";
    workplace.matrix_directory = scratch.path();
    workplace.variables = fake.host.variables;
    workplace.engine = container::Engine::docker;
    levels.engine = container::Engine::docker;
    levels.python = env::PythonSource::venv;
    read(yaml);
  }
  /// A matrix whose image is built from a Dockerfile.
  static std::string with_dockerfile() {
    return replace_all(kContained, "\"debian:12\"",
                       "\"debian:12\", dockerfile: docker/build.Dockerfile");
  }
  void read(const std::string& yaml) {
    scope = whole_scope(fake, yaml, levels);
    scope.version.commit = std::string(40, 'a');
    scope.version.branch = "Topic/One";
  }
  void put_dockerfile(const std::string& text = "ARG BASE_IMAGE\nFROM ${BASE_IMAGE}\n") {
    scratch.write("docker/build.Dockerfile", text);
    fake.files.put("docker/build.Dockerfile", text);
  }
  Result<PreparedContainers> prepare() {
    return prepare_containers(fake.host, scope, workplace, pinned, fake.notices);
  }
  PreparedContainers prepared() {
    Result<PreparedContainers> prepared = prepare();
    INFO((prepared ? std::string() : render(prepared.error())));
    REQUIRE(prepared);
    return *std::move(prepared);
  }
  PreparedContainers recalled() {
    Result<PreparedContainers> recalled = recall_containers(fake.host, scope, workplace);
    INFO((recalled ? std::string() : render(recalled.error())));
    REQUIRE(recalled);
    return *std::move(recalled);
  }
  Error refused() {
    const Result<PreparedContainers> prepared = prepare();
    REQUIRE_FALSE(prepared);
    return prepared.error();
  }
};

TEST_CASE("a run on the host and one that only publishes need no engine") {
  ImageWorld world;
  world.engine.answers = false;
  world.scope.executed = ExecutedPart{};
  CHECK(world.prepared().images.empty());
  world.scope.executed.reset();
  world.scope.levels.engine = container::Engine::host;
  CHECK(world.prepared().images.empty());
  CHECK(world.recalled().images.empty());
  CHECK(world.fake.process.started.empty());
}

TEST_CASE("an engine that is missing or does not answer is an error before anything is made") {
  ImageWorld world;
  world.engine.answers = false;
  const Error silent = world.refused();
  CHECK(silent.kind == ErrorKind::environment);
  CHECK(silent.message == "`/fake/bin/docker` does not respond: no daemon");
  CHECK(recall_containers(world.fake.host, world.scope, world.workplace).error().message ==
        silent.message);
  world.engine.client_hangs = true;
  CHECK(world.refused().kind == ErrorKind::environment);
  CHECK(world.refused().message ==
        "`/fake/bin/docker` printed no version: it did not respond in time");
  world.workplace.variables["PATH"] = "/nowhere";
  CHECK(world.refused().kind == ErrorKind::environment);
  CHECK(world.refused().message == "there is no `docker` on PATH");
  CHECK(world.engine.changes.empty());
}

TEST_CASE("an image that is here is used as it is, once for all environments") {
  ImageWorld world;
  const std::string id = world.engine.add("debian:12");
  const PreparedContainers made = world.prepared();
  REQUIRE(made.images.size() == 1);
  const auto& [settings, used] = *made.images.begin();
  CHECK(used.base == "debian:12");
  CHECK(used.image.id == id);
  CHECK(used.image.key == id);
  CHECK(made.containers.images.at(settings) == used.image);
  CHECK(made.containers.client == fakes::FakeEngine::kClient);
  CHECK(made.pythons.empty());
  CHECK(world.engine.changes.empty());
  CHECK(world.fake.notices.notes.empty());
}

TEST_CASE("containers have the network of the command line, and remain with `--keep-failed`") {
  ImageWorld world;
  world.engine.add("debian:12");
  CHECK(world.prepared().containers.after_failure == container::AfterEnd::remove);
  world.scope.levels.network = "own";
  world.scope.levels.keep_failed = true;
  const host::Containers containers = world.prepared().containers;
  CHECK(containers.network == "own");
  CHECK(containers.after_failure == container::AfterEnd::keep);
}

TEST_CASE("a missing image is pulled, after a note") {
  ImageWorld world;
  world.engine.in_registry = {"debian:12"};
  CHECK(world.prepared().images.size() == 1);
  CHECK(world.engine.changes == Texts{"pull debian:12"});
  CHECK(world.fake.notices.notes == Texts{"pulling debian:12\n"});
}

TEST_CASE("an image that cannot be pulled ends the preparation") {
  ImageWorld world;
  const Error error = world.refused();
  CHECK(error.kind == ErrorKind::environment);
  CHECK(error.message ==
        "the image `debian:12` is not available locally and cannot be pulled: not in the registry");
  CHECK(error.hint == "check its name, or choose another with `--base-image`");
}

TEST_CASE("a pinned image is pulled by its digest, because its tag may have moved") {
  ImageWorld world;
  world.engine.add("debian:12");
  const std::string settings = world.prepared().images.begin()->first;
  world.pinned[settings] = {"debian:12", "sha256:2", {"docker.io/debian@sha256:2"}, "key"};
  CHECK(world.refused().message.find("`docker.io/debian@sha256:2`") != std::string::npos);
  CHECK(world.engine.changes == Texts{"pull docker.io/debian@sha256:2"});
  world.engine.in_registry = {"docker.io/debian@sha256:2"};
  const PreparedContainers made = world.prepared();
  CHECK(made.images.at(settings).base == "debian:12");
  CHECK(made.images.at(settings).image.digests.front().find("sha256:2") != std::string::npos);
  // An image that is in no registry cannot be pinned.
  world.pinned[settings].base_digests.clear();
  CHECK(world.prepared().images.at(settings).image.id == "sha256:" + sha256_hex("debian:12"));
}

TEST_CASE("an image with a Dockerfile is built on the base that was inspected, then tagged") {
  ImageWorld world(ImageWorld::with_dockerfile());
  const std::string base = world.engine.add("debian:12");
  world.put_dockerfile();
  const PreparedContainers made = world.prepared();
  const std::string name = "pinwheel-base:" + base.substr(7, 12);
  const std::string built = "sha256:" + sha256_hex("built");
  CHECK(world.engine.changes == Texts{"tag " + base + " " + name,
                                      "build " + (world.scratch.path() / "docker").string(),
                                      "tag " + built + " pinwheel:topic-one-aaaaaaa-cp311",
                                      "tag " + built + " pinwheel:topic-one-aaaaaaa-cp312"});
  const container::ContainerImage& image = made.images.begin()->second.image;
  CHECK(image.id == built);
  CHECK(image.base_id == base);
  CHECK(image.key != image.id);
  REQUIRE(world.fake.notices.notes.size() == 1);
  CHECK(world.fake.notices.notes.front().starts_with("building an image from "));
}

TEST_CASE("an image with the same contents is not built again, one with others is") {
  ImageWorld world(ImageWorld::with_dockerfile());
  world.engine.add("debian:12");
  world.put_dockerfile();
  world.scope.version.commit.clear();
  const std::string key = world.prepared().images.begin()->second.image.key;
  world.engine.changes.clear();
  CHECK(world.prepared().images.begin()->second.image.key == key);
  // Outside git there is no commit for a tag.
  CHECK(world.engine.changes.empty());
  world.put_dockerfile("ARG BASE_IMAGE\nFROM ${BASE_IMAGE}\nRUN true\n");
  CHECK(world.prepared().images.begin()->second.image.key != key);
  CHECK(world.engine.changes.size() == 2);
}

TEST_CASE("each effect of building an image may fail, and the next one does not happen") {
  ImageWorld world(ImageWorld::with_dockerfile());
  const std::string base = world.engine.add("debian:12");
  const Error no_dockerfile = world.refused();
  CHECK(no_dockerfile.kind == ErrorKind::config);
  CHECK(no_dockerfile.message.starts_with("there is no Dockerfile "));
  CHECK(world.engine.changes.empty());
  world.put_dockerfile();
  world.engine.refused = "tag " + base;
  CHECK(world.refused().message.find("cannot be tagged `pinwheel-base:") != std::string::npos);
  CHECK(world.engine.changes.size() == 1);
  world.engine.refused = "build";
  world.fake.files.refused = "make ";
  CHECK(world.refused().message.starts_with("refused: make "));
  CHECK(world.engine.changes.size() == 2);
  world.fake.files.refused.clear();
  const Error failed = world.refused();
  CHECK(failed.kind == ErrorKind::step);
  CHECK(failed.hint.find("logs/images/image-") != std::string::npos);
  world.engine.changes.clear();
  world.engine.refused = "tag sha256:" + sha256_hex("built");
  CHECK(world.refused().message ==
        "the image cannot be tagged `pinwheel:topic-one-aaaaaaa-cp311`: " +
            world.engine.changes.back() + " is refused");
  CHECK(world.engine.changes.size() == 3);
}

TEST_CASE("a client without its plugin builds no images, but uses those that are here") {
  ImageWorld world(ImageWorld::with_dockerfile());
  world.engine.add("debian:12");
  world.engine.version = "26.1.0";
  world.engine.has_plugin = false;
  world.put_dockerfile();
  const Error error = world.refused();
  CHECK(error.kind == ErrorKind::environment);
  CHECK(error.message ==
        "`/fake/bin/docker` 26.1.0 cannot build images: its buildx plugin is missing");
  world.read(kContained);
  CHECK(world.prepared().images.size() == 1);
}

TEST_CASE("a forecast finds images, and makes, pulls and tags none") {
  ImageWorld world(ImageWorld::with_dockerfile());
  CHECK(world.recalled().images.empty());
  const std::string base = world.engine.add("debian:12");
  CHECK(world.recalled().images.empty());
  world.put_dockerfile();
  CHECK(world.recalled().images.empty());
  CHECK(world.engine.changes.empty());
  const PreparedContainers made = world.prepared();
  world.engine.changes.clear();
  const PreparedContainers again = world.recalled();
  REQUIRE(again.images.size() == 1);
  CHECK(again.images.begin()->second.image == made.images.begin()->second.image);
  CHECK(again.images.begin()->second.image.base_id == base);
  CHECK(world.engine.changes.empty());
}

TEST_CASE("only the images of the steps that a run executes are prepared") {
  ImageWorld world;
  world.engine.add("debian:12");
  const std::string settings = world.prepared().images.begin()->first;
  world.scope.executed = ExecutedPart{{"build:cp311"}, {"others"}, {}};
  CHECK(world.prepared().images.empty());
  world.scope.executed->containers = {settings};
  CHECK(world.prepared().images.size() == 1);
}

TEST_CASE("the Python of an image that wheels are tested on is looked for once") {
  ImageWorld world(std::string(kContained) + "test: {images: [\"debian:11\"]}\n");
  world.engine.add("debian:12");
  const std::string id = world.engine.add("debian:11");
  CHECK(world.prepared().images.size() == 1);
  world.scope.images = TestImageUse::prepare;
  // The client would enter the image, but it is not installed.
  CHECK(world.refused().kind == ErrorKind::environment);
  world.fake.files.put(
      "cache/images/" + sha256_hex(id).substr(0, 12) + "/interpreters/image.json",
      R"({"path": "/usr/bin/python3", "version": "3.9.2", "implementation": "cpython",
          "free_threaded": false, "platform": "linux-x86_64", "soabi": "cpython-39-x",
          "include_directory": "/i", "has_headers": false, "makes_environments": true})");
  const PreparedContainers made = world.prepared();
  CHECK(made.images.size() == 2);
  REQUIRE(made.pythons.size() == 1);
  CHECK(made.pythons.begin()->second.version == "3.9.2");
  CHECK(made.images.at(made.pythons.begin()->first).base == "debian:11");
  CHECK(world.recalled().pythons.size() == 1);
}

}  // namespace
}  // namespace pinwheel::prepare
