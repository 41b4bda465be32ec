#include "unit/matrix/parsed.h"

using namespace pinwheel;
using matrix::PullRequestRuns;

namespace {

matrix::CiSettings ci_of(const std::string& ci) {
  return testing::parsed("axes: {python: ['3.11']}\nci: {" + ci + "}\n").ci;
}

}  // namespace

TEST_CASE("`on: keys` is short for `on: {keys: true}`") {
  const std::string store = ", store: \"dir:/shared\"";
  CHECK(ci_of("name: demo").pull_requests == PullRequestRuns::everything);
  CHECK(ci_of("on: {keys: false}").pull_requests == PullRequestRuns::everything);
  for (const std::string on : {"on: keys", "on: {keys: true}"}) {
    const matrix::CiSettings settings = ci_of(on + store);
    CHECK(settings.pull_requests == PullRequestRuns::changed_keys);
    CHECK(settings.paths.empty());
    CHECK(settings.nightly == matrix::CiSettings().nightly);
  }
  const matrix::CiSettings both = ci_of("on: {keys: true, paths: [src]}" + store);
  CHECK(both.pull_requests == PullRequestRuns::changed_keys);
  CHECK(both.paths == std::vector<std::string>{"src"});
}

TEST_CASE("a comparison of keys needs a store that all runs share") {
  for (const std::string on : {"on: keys", "on: {keys: true}"}) {
    const std::string body = "axes: {python: ['3.11']}\nci: {" + on + "}\n";
    const Result<matrix::Matrix> none = matrix::parse(testing::kHead + body, "m.yaml");
    REQUIRE_FALSE(none.has_value());
    CHECK(none.error().message == "`ci.on.keys` needs a store, which has the results of the base");
    CHECK(none.error().at->line == 4);
  }
  // The store of the matrix is enough.
  CHECK(testing::parsed("axes: {python: ['3.11']}\nci: {on: keys}\nstore: [\"dir:/shared\"]\n")
            .ci.pull_requests == PullRequestRuns::changed_keys);
}
