#include "slurm/job_class.h"

#include "unit/catch.h"

namespace pinwheel::slurm {
namespace {

using namespace std::chrono_literals;

plan::Step build_step() {
  plan::Step step;
  step.id = "build:cu130";
  step.action = plan::BuildWheel{};
  step.timeout = 1h;
  step.resources.memory_per_core = 2ULL << 30;
  return step;
}

}  // namespace

TEST_CASE("environments, builds and tests are jobs, and publications are not") {
  const auto kind = [](const char* id) {
    plan::Step step;
    step.id = id;
    return job_kind_of(step);
  };
  CHECK(kind("env:abc") == JobKind::environment);
  CHECK(kind("toolkit:cuda-13.0-abc") == JobKind::environment);
  CHECK(kind("build:cpu") == JobKind::build);
  CHECK(kind("sdist") == JobKind::build);
  CHECK(kind("test:cpu") == JobKind::test);
  CHECK_FALSE(kind("publish:pypi"));
  CHECK_FALSE(kind("install:cpu"));
}

TEST_CASE("without settings a job requests what its step needs") {
  const JobClass request = job_class_of(build_step(), {}, {});
  CHECK(request.minutes == 75);
  CHECK(request.megabytes == 2048);
  CHECK(request.cores == 1);
}

TEST_CASE("settings replace that, and doubled requests stay within their limits") {
  SlurmSettings settings;
  settings.build.time = 40min;
  settings.build.time_limit = 1h;
  settings.build.memory = 3ULL << 30;
  settings.build.memory_limit = 10ULL << 30;
  settings.build.cores = 4;
  settings.build.partition = "cpu";
  const plan::Step step = build_step();
  const JobClass first = job_class_of(step, settings, {});
  CHECK(first.minutes == 40);
  CHECK(first.megabytes == 3072);
  CHECK(first.cores == 4);
  CHECK(first.partition == "cpu");
  CHECK(job_class_of(step, settings, {1, 1}).minutes == 60);
  CHECK(job_class_of(step, settings, {1, 0}).megabytes == 6144);
  CHECK(job_class_of(step, settings, {2, 0}).megabytes == 10240);
  CHECK(can_double_memory(step, settings, {1, 0}));
  CHECK_FALSE(can_double_memory(step, settings, {2, 0}));
  CHECK(can_double_time(step, settings, {}));
  CHECK_FALSE(can_double_time(step, settings, {0, 1}));
}

TEST_CASE("without a limit a request grows to eight times") {
  SlurmSettings settings;
  settings.build.memory = 1ULL << 30;
  const plan::Step step = build_step();
  CHECK(can_double_memory(step, settings, {2, 0}));
  CHECK_FALSE(can_double_memory(step, settings, {3, 0}));
  CHECK(job_class_of(step, settings, {9, 0}).megabytes == 8192);
}

TEST_CASE("a test requests the GPU of its compute") {
  SlurmSettings settings;
  settings.gres = {{"cuda", "gpu:h100:1"}};
  plan::Step step;
  step.id = "test:cu130";
  plan::TestWheel test;
  test.compute = "cuda/13.0";
  step.action = test;
  CHECK(job_class_of(step, settings, {}).gres == "gpu:h100:1");
  CHECK(job_class_of(build_step(), settings, {}).gres.empty());
}

}  // namespace pinwheel::slurm
