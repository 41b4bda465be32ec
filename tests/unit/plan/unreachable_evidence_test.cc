#include "plan/runner_labels.h"

#include "unit/catch.h"

namespace pinwheel::plan {
namespace {

matrix::Variant variant_with(const std::string& compute, const std::string& arch = "x86_64") {
  matrix::Variant made;
  made.id = compute;
  made.axes = {{"compute", compute}, {"arch", arch}};
  return made;
}

/// A test of `compute` with the `change`, and a publication that requires `wanted` of it.
struct Case {
  std::string compute = "cpu";
  std::string wanted = "ran";
  matrix::CiSettings ci = {};
  TestWheel test = {};

  std::vector<UnreachableEvidence> found() const {
    TestWheel action = test;
    action.variant_id = compute;
    action.compute = compute;
    Publish publish;
    publish.require_evidence = {{"test:" + compute, wanted}};
    Plan plan;
    Step first;
    first.id = "test:" + compute;
    first.action = action;
    Step last;
    last.id = "publish:pypi";
    last.action = publish;
    plan.steps = {first, last};
    return unreachable_evidence(plan, {variant_with(compute, action.arch)}, ci);
  }
};

Case with_command(const std::string& compute) {
  Case made;
  made.compute = compute;
  made.test.settings.command = {"pytest"};
  return made;
}

TEST_CASE("a test with a command on a machine that runs it can have the required evidence") {
  CHECK(with_command("cpu").found().empty());
  Case cuda = with_command("cuda/13.0");
  CHECK(cuda.found().empty());  // a CUDA package without torch that needs no GPU to be tested
  cuda.test.settings.hardware = matrix::Hardware::gpu;
  cuda.ci.test_runners = {{"cuda/*", {"self-hosted", "gpu"}, {}}};
  CHECK(cuda.found().empty());
}

TEST_CASE("without a command a test only imports, wherever it runs") {
  Case made;
  REQUIRE(made.found().size() == 1);
  CHECK(made.found().front().most == Evidence::loaded);
  made.wanted = "loaded";
  CHECK(made.found().empty());
}

TEST_CASE("a test that needs a GPU gets none from a hosted runner") {
  Case cuda = with_command("cuda/13.0");
  cuda.test.settings.hardware = matrix::Hardware::gpu;
  REQUIRE(cuda.found().size() == 1);
  CHECK(cuda.found().front().most == Evidence::none);
  CHECK(cuda.found().front().why == "no runner is configured for it");
  cuda.ci.test_runners = {{"cuda/*", {"ubuntu-24.04"}, {}}};
  CHECK(cuda.found().front().most == Evidence::loaded);
  CHECK(cuda.found().front().why == "runner `ubuntu-24.04` has no GPU");
  cuda.wanted = "loaded";
  CHECK(cuda.found().empty());
}

TEST_CASE("a CUDA torch is only loaded without a GPU, whatever the matrix requires") {
  Case cuda = with_command("cuda/13.0");
  cuda.test.environment.torch.spec = "torch";
  REQUIRE(cuda.found().size() == 1);
  CHECK(cuda.found().front().most == Evidence::loaded);
  cuda.compute = "cpu";
  CHECK(cuda.found().empty());
}

TEST_CASE("a runner of another architecture only inspects the wheel") {
  Case arm = with_command("cpu");
  arm.test.arch = "aarch64";
  CHECK(arm.found().empty());
  arm.ci.test_runners = {{"@aarch64", {"ubuntu-24.04"}, {}}};
  REQUIRE(arm.found().size() == 1);
  CHECK(arm.found().front().most == Evidence::inspected);
  CHECK(arm.found().front().why == "runner `ubuntu-24.04` is for x86_64");
}

TEST_CASE("tests with one reason are one warning") {
  const UnreachableEvidence first{"test:a", "ran", Evidence::loaded, "no GPU", "name one"};
  UnreachableEvidence second = first;
  second.test = "test:b";
  UnreachableEvidence other = first;
  other.why = "no command";
  const std::vector<Error> warnings = unreachable_warnings({first, other, second});
  REQUIRE(warnings.size() == 2);
  CHECK(warnings[0].message ==
        "`test:a` and 1 more can have at most evidence `loaded`, but `ran` is required: no GPU");
  CHECK(warnings[0].hint == "name one, or require less: `publish: {require: loaded}`");
}

}  // namespace
}  // namespace pinwheel::plan
