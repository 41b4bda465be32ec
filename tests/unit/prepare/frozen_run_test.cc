#include "prepare/frozen_run.h"

#include <string>
#include <vector>

#include "env/resolution.h"
#include "unit/prepare/matrix_world.h"

namespace pinwheel::prepare {
namespace {

TEST_CASE("a frozen plan fixes the version, but not the branch and machine") {
  VersionFacts here;
  here.branch = "topic";
  here.machine = "x86_64";
  here.version = {"2.0.0", {}};
  plan::FrozenPlan frozen;
  frozen.channel = "release";
  frozen.targets = {"index"};
  frozen.version = {"1.2.0", {}};
  frozen.source_date_epoch = 7;
  frozen.commit = "c0ffee";
  const VersionFacts taken = frozen_version(here, frozen);
  CHECK(taken.channel == "release");
  CHECK(taken.targets == frozen.targets);
  CHECK(taken.version.version == "1.2.0");
  CHECK(taken.source_date_epoch == 7);
  CHECK(taken.commit == "c0ffee");
  CHECK(taken.branch == "topic");
  CHECK(taken.machine == "x86_64");
}

TEST_CASE("only pinned images are compared") {
  const UsedImages used = {{"same", {"debian:12", {"sha256:1", "key"}}},
                           {"other", {"ubuntu:24.04", {"sha256:2", "key"}}},
                           {"new", {"alpine", {"sha256:3", "key"}}}};
  PinnedImages pinned;
  for (const auto& [settings, image] : used) {
    if (settings != "new") pinned[settings] = {image.base, image.image.base_id, {}, "key"};
  }
  CHECK(other_images(used, pinned).empty());
  pinned.at("other").key = "another key";
  const std::vector<Error> errors = other_images(used, pinned);
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].kind == ErrorKind::drift);
  CHECK(errors[0].message.find("ubuntu:24.04") != std::string::npos);
}

/// A run in a checkout that is going to be frozen.
struct FreezeWorld {
  fakes::FakeHost fake;
  GatheredRun run = {};

  FreezeWorld() {
    fake.git.known = checkout_facts();
    run.scope = whole_scope(fake, kPlainYaml);
    run.scope.version.channel = "release";
    run.workplace.matrix_directory = "/repo";
    run.workplace.state = "/repo/.pinwheel";
    run.facts.version = {"1.0", ""};
    run.facts.commit = std::string(40, 'a');
    run.facts.variables = {{"CFLAGS", "-O1"}};
    run.facts.toolchain = "12.2.0";
    run.facts.machine = "x86_64";
  }
  /// Records packages from an index with a password.
  void resolve(const std::string& request) {
    env::Resolution resolution;
    resolution.request = request;
    resolution.torch_index = "https://me:word@example.org/whl";
    fake.files.put(".pinwheel/resolutions/" + request + ".json", env::to_json(resolution));
    run.facts.resolutions[request] = resolution.digest();
  }
};

TEST_CASE("a plan freezes the facts that a run would find, without credentials") {
  FreezeWorld world;
  world.resolve("request");
  world.run.scope.loaded.matrix.backend_answers["cp311"] = {"question", {"cython"}};
  world.run.images["settings"] = {"debian:12", {"sha256:1", "key"}};
  world.run.facts.image_pythons["settings"].version = "3.11.2";
  const Result<plan::FrozenPlan> frozen = freeze(world.fake.host, world.run);
  REQUIRE(frozen);
  CHECK(frozen->matrix == "m.yaml");
  CHECK(frozen->channel == "release");
  CHECK(frozen->variants == std::vector<std::string>{"cp311", "cp312"});
  CHECK(frozen->variables == world.run.facts.variables);
  CHECK(frozen->answers.at("question") == std::vector<std::string>{"cython"});
  CHECK(frozen->images.at("settings").python == "3.11.2");
  CHECK(frozen->files.size() == 2);
  CHECK(frozen->resolutions.at("request").find("word") == std::string::npos);
}

TEST_CASE("a matrix below the root of its repository is named from there") {
  FreezeWorld world;
  world.run.workplace.matrix_directory = "/repo/sub";
  CHECK(freeze(world.fake.host, world.run)->matrix == "sub/m.yaml");
  world.fake.git.known = fail(ErrorKind::environment, "no repository");
  CHECK(freeze(world.fake.host, world.run)->matrix == "m.yaml");
}

TEST_CASE("packages that are not recorded and names that are no text cannot be frozen") {
  FreezeWorld world;
  world.run.facts.resolutions["request"] = "digest";
  const Result<plan::FrozenPlan> missing = freeze(world.fake.host, world.run);
  REQUIRE_FALSE(missing);
  CHECK(missing.error().kind == ErrorKind::environment);
  FreezeWorld other;
  other.run.facts.variables["CFLAGS"] = "\xff";
  const Result<plan::FrozenPlan> bytes = freeze(other.fake.host, other.run);
  REQUIRE_FALSE(bytes);
  CHECK(bytes.error().kind == ErrorKind::config);
  // A report may contain such a name, a plan must not.
  CHECK(origin_of(other.fake.host, other.run));
}

TEST_CASE("a report has the commit and the compiler of its run") {
  FreezeWorld world;
  world.fake.git.known->dirty = true;
  const Result<plan::RunOrigin> origin = origin_of(world.fake.host, world.run);
  REQUIRE(origin);
  CHECK(origin->commit == std::string(40, 'a'));
  CHECK(origin->dirty);
  CHECK(origin->toolchain == "12.2.0");
  CHECK(origin->variables == world.run.facts.variables);
  world.fake.git.known = fail(ErrorKind::environment, "no repository");
  CHECK(origin_of(world.fake.host, world.run)->commit.empty());
}

TEST_CASE("the levels of a frozen plan are its own, but not which engine runs containers") {
  plan::FrozenPlan frozen;
  frozen.levels = {container::Engine::docker, env::PythonSource::venv, {{"*", "debian:12"}}};
  LevelOptions asked;
  const Result<LevelOptions> usual = frozen_levels(asked, frozen);
  REQUIRE(usual);
  CHECK(usual->engine == container::Engine::docker);
  CHECK(usual->python == env::PythonSource::venv);
  CHECK(usual->base_images == std::vector<std::string>{"debian:12"});
  asked.engine = container::Engine::podman;
  CHECK(frozen_levels(asked, frozen)->engine == container::Engine::podman);
  asked.base_images = {"debian:13"};
  CHECK(frozen_levels(asked, frozen).error().message ==
        "`--base-image` contradicts the plan, which was frozen with `debian:12`");
  asked.base_images.clear();
  asked.python = env::PythonSource::conda;
  CHECK(frozen_levels(asked, frozen).error().kind == ErrorKind::usage);
  asked.python.reset();
  frozen.levels.engine = container::Engine::host;
  CHECK(frozen_levels(asked, frozen).error().message ==
        "`--engine` contradicts the plan, which was frozen with `--engine host`");
}

/// A frozen plan of the commit that is checked out.
struct DriftWorld {
  fakes::FakeHost fake;
  plan::FrozenPlan frozen = {};
  std::string yaml = kPlainYaml;

  DriftWorld() {
    fake.git.known = checkout_facts();
    fake.git.known->tags = {{"v1.2.0", 0}};
    frozen.commit = std::string(40, 'a');
    frozen.channel = "release";
    frozen.version = {"1.2.0", ""};
    frozen.variants = {"cp311", "cp312"};
  }
  Done check() { return check_checkout(fake.host, loaded_from(fake, yaml), frozen); }
  Error drifted() {
    const Done checked = check();
    REQUIRE_FALSE(checked);
    CHECK(checked.error().kind == ErrorKind::drift);
    return checked.error();
  }
};

TEST_CASE("a frozen plan is of the commit that is checked out, and of its version") {
  DriftWorld world;
  CHECK(world.check());
  world.frozen.version = {"6.6.6", ""};
  CHECK(world.drifted().message ==
        "the plan is of version `6.6.6`, and commit `aaaaaaa` has version `1.2.0`");
  world.frozen.commit = std::string(40, 'b');
  CHECK(world.drifted().message ==
        "the plan is of commit `bbbbbbb`, and the checkout is at commit `aaaaaaa`");
  world.frozen.commit.clear();
  CHECK(world.drifted().message.starts_with("the plan is of no commit, "));
}

TEST_CASE("a plan is not compared with a repository around the package") {
  DriftWorld world;
  world.frozen.commit.clear();
  world.frozen.version = {"6.6.6", ""};
  world.fake.git.known->tracks_directory = false;
  CHECK(world.check());
}

TEST_CASE("the date of a nightly is not compared, everything else of it is") {
  DriftWorld world;
  world.frozen.channel = "nightly";
  world.frozen.version = {"1.3.0.dev20251231", "gaaaaaaa"};
  CHECK(world.check());
  world.frozen.version = {"1.4.0.dev20251231", "gaaaaaaa"};
  CHECK(world.drifted().message.find("1.4.0.dev20251231") != std::string::npos);
}

TEST_CASE("nothing is compared if the checkout lacks the facts") {
  DriftWorld world;
  world.frozen.version = {"6.6.6", ""};
  world.fake.git.known->tags = {};
  CHECK(world.check());
  world.yaml.replace(world.yaml.find("source: ."), 9, "source: ., version: {from: calver}");
  CHECK(world.check());
  world.frozen.commit = "another";
  CHECK_FALSE(world.check());
  world.fake.git.known = fail(ErrorKind::environment, "no repository");
  CHECK(world.check());
  DriftWorld sdist;
  sdist.frozen.commit = "another";
  sdist.yaml.replace(sdist.yaml.find("source: ."), 9, "requirement: \"demo==1.0\"");
  CHECK(sdist.check());
  CHECK(sdist.fake.git.asked == 0);
}

TEST_CASE("a release has every variant of its channel") {
  DriftWorld world;
  world.yaml += "channels: {release: {publish: []}}\n";
  const Loaded loaded = loaded_from(world.fake, world.yaml);
  CHECK(check_has_channel(loaded, {}, {}, world.frozen));
  world.frozen.variants = {"cp312"};
  const Done incomplete = check_has_channel(loaded, {}, {}, world.frozen);
  REQUIRE_FALSE(incomplete);
  CHECK(incomplete.error().kind == ErrorKind::drift);
  CHECK(incomplete.error().message ==
        "the plan lacks 1 of the 2 variants of channel `release`: `cp311`");
  CHECK(check_has_channel(loaded, {}, {"cp312"}, world.frozen));
  SelectionOptions shard;
  shard.shard = "1/2";
  CHECK_FALSE(check_has_channel(loaded, shard, {}, world.frozen));
}

}  // namespace
}  // namespace pinwheel::prepare
