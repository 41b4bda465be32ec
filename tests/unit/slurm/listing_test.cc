#include "slurm/listing.h"

#include "unit/catch.h"

namespace pinwheel::slurm {

TEST_CASE("our elements are found by their comment, whatever else runs") {
  const Listing listing = read_listing(
      "12|0|RUNNING|None|pinwheel:abc\n"
      "12|1|PENDING|Dependency|pinwheel:abc\n"
      "13|N/A|RUNNING|None|(null)\n"
      "14|0|RUNNING|None|not pinwheel:abc\n"
      "nonsense\n");
  REQUIRE(listing.size() == 2);
  CHECK(listing.at({"abc", 0}).state == QueueState::running);
  CHECK(listing.at({"abc", 0}).array == "12");
  CHECK(listing.at({"abc", 1}).state == QueueState::pending);
}

TEST_CASE("each state of Slurm has a meaning") {
  const auto state = [](const std::string& name, const std::string& reason = "None") {
    const Listing listing = read_listing("1|0|" + name + "|" + reason + "|pinwheel:s\n");
    return listing.at({"s", 0}).state;
  };
  CHECK(state("COMPLETED") == QueueState::completed);
  CHECK(state("FAILED", "NonZeroExitCode") == QueueState::failed);
  CHECK(state("TIMEOUT", "TimeLimit") == QueueState::time_limit);
  CHECK(state("DEADLINE") == QueueState::time_limit);
  CHECK(state("NODE_FAIL") == QueueState::node_failure);
  CHECK(state("BOOT_FAIL") == QueueState::node_failure);
  CHECK(state("PREEMPTED") == QueueState::preempted);
  CHECK(state("OUT_OF_MEMORY") == QueueState::out_of_memory);
  CHECK(state("CANCELLED") == QueueState::canceled);
  CHECK(state("CANCELLED", "DependencyNeverSatisfied") == QueueState::dependency_failed);
  CHECK(state("COMPLETING") == QueueState::running);
  CHECK(state("SUSPENDED") == QueueState::running);
  CHECK(state("CONFIGURING") == QueueState::pending);
  CHECK(state("REQUEUED") == QueueState::pending);
}

TEST_CASE("of two jobs of one submission the later one counts") {
  const Listing listing = read_listing(
      "9|0|FAILED|None|pinwheel:s\n10|0|RUNNING|None|pinwheel:s\n8|0|COMPLETED|None|pinwheel:s\n");
  CHECK(listing.at({"s", 0}).array == "10");
}

}  // namespace pinwheel::slurm
