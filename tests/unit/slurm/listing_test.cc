#include "slurm/listing.h"

#include "unit/catch.h"

namespace pinwheel::slurm {
namespace {

Job element(const std::string& id, const std::string& comment, JobState state = JobState::running) {
  Job job;
  job.id = id;
  job.comment = comment;
  job.state = state;
  return job;
}

}  // namespace

TEST_CASE("our elements are found by their comment, whatever else runs") {
  const Listing listing = our_elements(
      {element("12_0", "pinwheel:abc"), element("12_1", "pinwheel:abc", JobState::pending),
       element("13", "pinwheel:abc"), element("14_0", "(null)"),
       element("15_0", "not pinwheel:abc"), element("x_y", "pinwheel:abc")});
  REQUIRE(listing.size() == 2);
  CHECK(listing.at({"abc", 0}).state == JobState::running);
  CHECK(array_of(listing.at({"abc", 0})) == "12");
  CHECK(listing.at({"abc", 1}).state == JobState::pending);
  CHECK(comment_of("abc") == "pinwheel:abc");
}

TEST_CASE("of two jobs of one submission the later one counts") {
  const Listing listing =
      our_elements({element("9_0", "pinwheel:s", JobState::failed), element("10_0", "pinwheel:s"),
                    element("8_0", "pinwheel:s", JobState::completed)});
  CHECK(listing.at({"s", 0}).id == "10_0");
}

}  // namespace pinwheel::slurm
