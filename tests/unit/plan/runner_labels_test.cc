#include "plan/runner_labels.h"

#include "unit/catch.h"

namespace pinwheel::plan {
namespace {

using Labels = std::vector<std::string>;

matrix::Variant variant(const std::string& compute, const std::string& arch) {
  matrix::Variant made;
  made.axes = {{"compute", compute}, {"arch", arch}};
  return made;
}

matrix::RunnerRule rule(std::string pattern, Labels labels) {
  return {std::move(pattern), std::move(labels), {}};
}

}  // namespace

TEST_CASE("without rules everything runs on hosted runners", "[runner-labels]") {
  const matrix::CiSettings ci;
  CHECK(runner_labels(ci, RunnerUse::build, variant("cpu", "x86_64"), NeedsGpu::no) ==
        Labels{"ubuntu-24.04"});
  CHECK(runner_labels(ci, RunnerUse::test, variant("cpu", "aarch64"), NeedsGpu::no) ==
        Labels{"ubuntu-24.04-arm"});
}

TEST_CASE("the first rule that matches compute and architecture wins", "[runner-labels]") {
  matrix::CiSettings ci;
  ci.build_runners = {rule("default", {"big"}), rule("cuda/*@aarch64", {"arm-big"}),
                      rule("@aarch64", {"arm"}), rule("cuda/*", {"self-hosted", "gpu"})};
  const auto labels = [&](const char* compute, const char* arch) {
    return runner_labels(ci, RunnerUse::build, variant(compute, arch), NeedsGpu::no);
  };
  CHECK(labels("cuda/13.0", "aarch64") == Labels{"arm-big"});
  CHECK(labels("cpu", "aarch64") == Labels{"arm"});
  CHECK(labels("cuda/13.0", "x86_64") == Labels{"self-hosted", "gpu"});
  CHECK(labels("cpu", "x86_64") == Labels{"big"});
}

TEST_CASE("the patterns of rules are those of conditions", "[runner-labels]") {
  matrix::CiSettings ci;
  ci.build_runners = {rule("cuda/12", {"old"}), rule("{xpu,{gaudi,mtia}*}", {"own"}),
                      rule("cuda/*@{aarch64,riscv64}", {"arm"})};
  const auto labels = [&](const char* compute, const char* arch) {
    return runner_labels(ci, RunnerUse::build, variant(compute, arch), NeedsGpu::no);
  };
  CHECK(labels("cuda/12.6", "x86_64") == Labels{"old"});
  CHECK(labels("cuda/13.0", "aarch64") == Labels{"arm"});
  CHECK(labels("xpu", "x86_64") == Labels{"own"});
  CHECK(labels("gaudi/1.22", "x86_64") == Labels{"own"});
  CHECK(labels("xpu/2025.1", "x86_64") == Labels{"ubuntu-24.04"});
}

TEST_CASE("a default is no promise of a GPU", "[runner-labels]") {
  matrix::CiSettings ci;
  ci.test_runners = {rule("default", {"ubuntu-24.04"})};
  CHECK(runner_labels(ci, RunnerUse::test, variant("cuda/13.0", "x86_64"), NeedsGpu::yes) ==
        std::nullopt);
  ci.test_runners.push_back(rule("cuda/*", {"gpu"}));
  CHECK(runner_labels(ci, RunnerUse::test, variant("cuda/13.0", "x86_64"), NeedsGpu::yes) ==
        Labels{"gpu"});
}

TEST_CASE("a variant names its own runner", "[runner-labels]") {
  matrix::Variant own = variant("cuda/13.0", "x86_64");
  own.attributes = {{"runner", "lab-4"}};
  CHECK(runner_labels({}, RunnerUse::test, own, NeedsGpu::yes) == Labels{"lab-4"});
}

TEST_CASE("a driver is installed where a rule places a GPU", "[runner-labels]") {
  matrix::CiSettings ci;
  ci.drivers = {{"cuda/*", "get cuda"}, {"default", "get any"}};
  CHECK(driver_command(ci, variant("cuda/13.0", "x86_64")).empty());
  ci.test_runners = {rule("{cuda,rocm}/*", {"gpu"})};
  CHECK(driver_command(ci, variant("cuda/13.0", "x86_64")) == "get cuda");
  CHECK(driver_command(ci, variant("rocm/7.1", "x86_64")) == "get any");
  CHECK(driver_command(ci, variant("cpu", "x86_64")).empty());
  ci.drivers.clear();
  CHECK(driver_command(ci, variant("cuda/13.0", "x86_64")).empty());
}

}  // namespace pinwheel::plan
