#include "prepare/read_scope.h"

#include <string>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "host/machine/machine_name.h"
#include "unit/catch.h"
#include "unit/prepare/checkout_world.h"

namespace pinwheel::prepare {
namespace {

TEST_CASE("a fresh scope has the version, the channel and the targets of the checkout") {
  CheckoutWorld world;
  const RunScope scope = world.scope(world.request());
  CHECK(scope.version.version.version == "1.2.0");
  CHECK(scope.version.channel == "release");
  CHECK(scope.version.targets == Ids{"index"});
  CHECK(scope.options.stage == plan::Stage::publish);
  CHECK(scope.outline.variants.size() == 4);
  CHECK(scope.loaded.digest() == sha256_hex(kCheckoutYaml));
  CHECK(world.fake.files.changes.empty());
}

TEST_CASE("a matrix file is read once") {
  CheckoutWorld world;
  static_cast<void>(world.scope(world.request()));
  CHECK(world.fake.files.reads == Ids{"/repo/m.yaml"});
}

TEST_CASE("without targets a scope whose stage is open ends with the tests") {
  CheckoutWorld world;
  world.selection.channel = "quiet";
  const RunScope scope = world.scope(world.request());
  CHECK(scope.options.stage == plan::Stage::test);
  CHECK(scope.version.publishes_nowhere);
}

TEST_CASE("the stage and the targets of a command line win") {
  CheckoutWorld world;
  ScopeRequest request = world.request();
  request.stage = plan::Stage::build;
  request.targets = {"index"};
  request.images = TestImageUse::prepare;
  world.selection.channel = "quiet";
  const RunScope scope = world.scope(request);
  CHECK(scope.options.stage == plan::Stage::build);
  CHECK(scope.version.targets == Ids{"index"});
  CHECK_FALSE(scope.version.publishes_nowhere);
  CHECK(scope.images == TestImageUse::prepare);
}

TEST_CASE("selectors and globs narrow a scope, and a selection of nothing is an error") {
  CheckoutWorld world;
  world.selection.selectors = {"python=3.12"};
  CHECK(variants_of(world.scope(world.request())) == Ids{"cp312-plain", "cp312-loud"});
  world.choice.globs = {"*-loud"};
  CHECK(variants_of(world.scope(world.request())) == Ids{"cp312-loud"});
  world.choice.globs = {"*-silent"};
  const Result<RunScope> nothing = world.read(world.request());
  REQUIRE_FALSE(nothing);
  CHECK(nothing.error().kind != ErrorKind::internal);
}

TEST_CASE("the scope of one id is its variant, and publishes nothing") {
  CheckoutWorld world;
  world.choice.globs = {"test:cp312-loud"};
  ScopeRequest request = world.request();
  request.part = ScopePart::one_id;
  const RunScope scope = world.scope(request);
  CHECK(variants_of(scope) == Ids{"cp312-loud"});
  CHECK(scope.version.targets.empty());
  CHECK(scope.options.stage == plan::Stage::test);
}

TEST_CASE("an unknown id is reported before git is called") {
  CheckoutWorld world;
  world.choice.globs = {"cp312-lod"};
  ScopeRequest request = world.request();
  request.part = ScopePart::one_id;
  const Result<RunScope> scope = world.read(request);
  REQUIRE_FALSE(scope);
  CHECK(scope.error().kind == ErrorKind::usage);
  CHECK(scope.error().hint.find("cp312-loud") != std::string::npos);
  CHECK(world.fake.git.asked == 0);
}

TEST_CASE("everything is in the scope of an explanation, whatever the options select") {
  CheckoutWorld world;
  world.selection.selectors = {"python=3.12"};
  ScopeRequest request = world.request();
  request.part = ScopePart::whole;
  CHECK(world.scope(request).outline.variants.size() == 4);
}

TEST_CASE("a version that is given is not read from git") {
  CheckoutWorld world;
  ScopeRequest request = world.request();
  VersionFacts version;
  version.version = {"0", ""};
  request.version = version;
  request.stage = plan::Stage::test;
  CHECK(world.scope(request).version.version.version == "0");
  CHECK(world.fake.git.asked == 0);
}

TEST_CASE("without a repository a version from tags is an error") {
  CheckoutWorld world;
  world.fake.git.known = fail(ErrorKind::environment, "no repository");
  const Result<RunScope> scope = world.read(world.request());
  REQUIRE_FALSE(scope);
  CHECK(scope.error().kind == ErrorKind::environment);
}

TEST_CASE("a package source that is no directory is named at its place") {
  CheckoutWorld world;
  world.fake.files.put("m.yaml",
                       std::string(kCheckoutYaml)
                           .replace(std::string(kCheckoutYaml).find("source: ."), 9, "source: x"));
  const Result<RunScope> missing = world.read(world.request());
  REQUIRE_FALSE(missing);
  CHECK(missing.error().message == "`package.source` is `x`, and `/repo/x` does not exist");
  world.fake.files.put("x", "a file");
  CHECK(world.read(world.request()).error().message ==
        "`package.source` is `x`, and `/repo/x` is not a directory");
  CHECK(world.fake.git.asked == 0);
}

TEST_CASE("the places of a matrix are parsed with its scope") {
  CheckoutWorld world;
  const RunScope scope = world.scope(world.request());
  CHECK(store::to_string(scope.stores.front()) == "dir:results");
  CHECK(scope.stores.front().access == store::PlaceAccess::read_write);
  world.fake.host.variables["GITHUB_EVENT_NAME"] = "pull_request";
  CHECK(world.scope(world.request()).stores.front().access == store::PlaceAccess::read_only);
}

TEST_CASE("the scope of a frozen plan is that of the plan, without git") {
  CheckoutWorld world;
  const plan::FrozenPlan frozen = frozen_plan({"cp311-plain", "cp312-loud"});
  ScopeRequest request = world.request();
  request.frozen = &frozen;
  const RunScope scope = world.scope(request);
  CHECK(variants_of(scope) == Ids{"cp311-plain", "cp312-loud"});
  CHECK(scope.version.version.version == "1.2.0");
  CHECK(scope.version.machine == host::machine_name());
  CHECK(scope.options.stage == plan::Stage::publish);
  CHECK(scope.levels.python == env::PythonSource::venv);
  CHECK(world.fake.git.asked == 0);
}

TEST_CASE("a channel that contradicts the plan is refused before the matrix is read") {
  CheckoutWorld world;
  const plan::FrozenPlan frozen = frozen_plan({"cp311-plain"});
  ScopeRequest request = world.request();
  request.frozen = &frozen;
  world.selection.channel = "release";
  CHECK(world.read(request));
  world.fake.files.reads.clear();
  world.selection.channel = "quiet";
  const Result<RunScope> refused = world.read(request);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::usage);
  CHECK(refused.error().message ==
        "`--channel quiet` contradicts the plan, which was frozen for `release`");
  CHECK(world.fake.files.reads.empty());
}

TEST_CASE("a build number that contradicts the plan is refused") {
  CheckoutWorld world;
  plan::FrozenPlan frozen = frozen_plan({"cp311-plain"});
  ScopeRequest request = world.request();
  request.frozen = &frozen;
  world.selection.build_number = 2;
  const auto refusal = [&] { return world.read(request).error().message; };
  CHECK(refusal() ==
        "`--build-number 2` contradicts the plan, which was frozen without a build number");
  frozen.version.build = 1;
  CHECK(refusal() ==
        "`--build-number 2` contradicts the plan, which was frozen with build number 1");
  frozen.version.build = 2;
  CHECK(world.read(request)->version.version.build == 2);
}

TEST_CASE("levels that contradict the plan are refused, and a variant that is gone is drift") {
  CheckoutWorld world;
  const plan::FrozenPlan frozen = frozen_plan({"cp311-plain"});
  ScopeRequest request = world.request();
  request.frozen = &frozen;
  world.levels.python = env::PythonSource::conda;
  const Result<RunScope> conda = world.read(request);
  REQUIRE_FALSE(conda);
  CHECK(conda.error().kind == ErrorKind::usage);
  world.levels.python.reset();
  const plan::FrozenPlan older = frozen_plan({"cp310-plain"});
  request.frozen = &older;
  CHECK(world.read(request).error().kind == ErrorKind::drift);
}

TEST_CASE("a base image without an engine is refused") {
  CheckoutWorld world;
  world.levels.base_images = {"debian:bookworm"};
  const Result<RunScope> scope = world.read(world.request());
  REQUIRE_FALSE(scope);
  CHECK(scope.error().message == "`--base-image` needs a container engine");
}

TEST_CASE("the matrix of a plan is found in the repository of the working directory") {
  CheckoutWorld world;
  const std::optional<PlanFile> frozen = PlanFile{frozen_plan({"cp311-plain"}), "digest"};
  const Result<MatrixChoice> choice = choose_matrix_of(world.fake.host, {"a*"}, frozen);
  REQUIRE(choice);
  CHECK(choice->path == "m.yaml");
  CHECK(choice->globs == Ids{"a*"});
  CHECK(choose_matrix_of(world.fake.host, {"m.yaml"}, frozen)->path == "m.yaml");
  const Result<MatrixChoice> other = choose_matrix_of(world.fake.host, {"other.yaml"}, frozen);
  REQUIRE_FALSE(other);
  CHECK(other.error().message == "the plan is of `m.yaml`, not of `other.yaml`");
  world.fake.git.known = fail(ErrorKind::environment, "no repository");
  CHECK(choose_matrix_of(world.fake.host, {"other.yaml"}, frozen)->path == "other.yaml");
}

TEST_CASE("a plan whose matrix leaves the repository is refused") {
  CheckoutWorld world;
  std::optional<PlanFile> frozen = PlanFile{frozen_plan({}), "digest"};
  frozen->plan.matrix = "../m.yaml";
  const Result<MatrixChoice> choice = choose_matrix_of(world.fake.host, {}, frozen);
  REQUIRE_FALSE(choice);
  CHECK(choice.error().kind == ErrorKind::config);
  frozen->plan.matrix.clear();
  world.fake.host.variables["PINWHEEL_MATRIX"] = "named.yaml";
  CHECK(choose_matrix_of(world.fake.host, {}, frozen)->path == "named.yaml");
}

TEST_CASE("a frozen plan is read with the digest of its file") {
  CheckoutWorld world;
  CHECK_FALSE(read_frozen_plan(world.fake.files, "")->has_value());
  CHECK_FALSE(read_frozen_plan(world.fake.files, "plan.json"));
  const std::string text = plan::to_json(frozen_plan({"cp311-plain"}));
  world.fake.files.put("plan.json", text);
  const Result<std::optional<PlanFile>> read = read_frozen_plan(world.fake.files, "plan.json");
  INFO((read ? std::string() : render(read.error())));
  REQUIRE(read);
  CHECK((*read)->digest == sha256_hex(text));
  CHECK((*read)->plan.variants == Ids{"cp311-plain"});
}

}  // namespace
}  // namespace pinwheel::prepare
