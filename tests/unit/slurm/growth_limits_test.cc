#include "slurm/growth_limits.h"

#include "slurm/job_class.h"
#include "unit/catch.h"

namespace pinwheel::slurm {
namespace {

using namespace std::chrono_literals;

constexpr uint64_t kGigabyte = uint64_t{1} << 30U;

const std::vector<Partition> kPartitions = {
    {.name = "all", .up = true, .is_default = true, .longest = 2h, .nodes = 2},
    {.name = "long", .up = true, .longest = 5h, .nodes = 1},
    {.name = "endless", .up = true, .nodes = 1}};

std::vector<ClusterNode> two_nodes() {
  return {{.name = "n1", .partitions = {"all"}, .memory = 8 * kGigabyte},
          {.name = "n2", .partitions = {"all", "long"}, .memory = 12 * kGigabyte}};
}

plan::Step some_build() {
  plan::Step step;
  step.id = "build:a";
  step.action = plan::BuildWheel{};
  return step;
}

SlurmSettings some_settings() {
  SlurmSettings settings;
  settings.build.time = 1h;
  settings.build.memory = 4 * kGigabyte;
  return settings;
}

TEST_CASE("a request grows up to the largest node and the longest time") {
  const SlurmSettings bound = within_cluster(some_settings(), kPartitions, two_nodes());
  CHECK(bound.build.time_limit == 2h);
  CHECK(bound.build.memory_limit == 12 * kGigabyte);
  CHECK(can_double_time(some_build(), bound, {}));
  CHECK_FALSE(can_double_time(some_build(), bound, {.time = 1}));
  CHECK(can_double_memory(some_build(), bound, {.memory = 1}));
  CHECK(job_class_of(some_build(), bound, {.memory = 2}).megabytes == 12 << 10);
  CHECK_FALSE(can_double_memory(some_build(), bound, {.memory = 2}));
}

TEST_CASE("a request that already has all that the cluster gives cannot grow") {
  SlurmSettings settings = some_settings();
  settings.build.time = 2h;
  settings.build.memory = 12 * kGigabyte;
  const SlurmSettings bound = within_cluster(settings, kPartitions, two_nodes());
  CHECK_FALSE(can_double_time(some_build(), bound, {}));
  CHECK_FALSE(can_double_memory(some_build(), bound, {}));
}

TEST_CASE("the limits are those of the partitions of a kind, and the user's if they are stricter") {
  SlurmSettings settings = some_settings();
  settings.build.partition = "all,long";
  settings.test.partition = "endless";
  settings.environment.time_limit = 1h;
  settings.environment.memory_limit = kGigabyte;
  const SlurmSettings bound = within_cluster(settings, kPartitions, two_nodes());
  CHECK(bound.build.time_limit == 5h);
  CHECK(bound.test.time_limit == 0h);
  CHECK(bound.test.memory_limit == 0);
  CHECK(bound.environment.time_limit == 1h);
  CHECK(bound.environment.memory_limit == kGigabyte);
}

TEST_CASE("what is not known limits nothing") {
  CHECK(within_cluster(some_settings(), {}, {}).build == some_settings().build);
  std::vector<ClusterNode> nodes = two_nodes();
  nodes[0].memory = 0;
  CHECK(within_cluster(some_settings(), kPartitions, nodes).build.memory_limit == 0);
}

TEST_CASE("a step of an allocation has the memory of a node at most, and no time of its own") {
  const Allocation allocation{.job = "17", .memory = 6 * kGigabyte};
  const SlurmSettings bound = within_allocation(some_settings(), allocation);
  CHECK_FALSE(can_double_time(some_build(), bound, {}));
  CHECK(bound.build.memory_limit == 6 * kGigabyte);
  CHECK(within_allocation(some_settings(), {.job = "17"}).build.memory_limit == 0);
}

}  // namespace
}  // namespace pinwheel::slurm
