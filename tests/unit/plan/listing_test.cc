#include "plan/listing.h"

#include "unit/catch.h"

namespace pinwheel::plan {
namespace {

using publish::InRoot;

/// Two packages for two computes. The package `ops` of each compute requires the only `core`.
Publish family() {
  Publish action;
  action.labels = {{"build:ops-cu130", "cu130"}, {"build:ops-cpu", "cpu"}, {"build:core", "cpu"}};
  action.default_build = "build:ops-cpu";
  action.root_builds = {"build:core"};
  action.also_listed = {{"build:core", {"cu130", "cpu", "cu130"}}};
  return action;
}

TEST_CASE("the wheels of a build are in the sub-index of its label") {
  CHECK(listing_of(family(), "build:ops-cu130") == Listing{"cu130", {}, InRoot::no});
  CHECK(listing_of(family(), "build:ops-cpu") == Listing{"cpu", {}, InRoot::yes});
}

TEST_CASE("wheels that others require are also in their sub-indexes and in the root") {
  CHECK(listing_of(family(), "build:core") == Listing{"cpu", {"cu130"}, InRoot::yes});
}

TEST_CASE("files without a label are in the root") {
  Publish action = family();
  CHECK(listing_of(action, "sdist") == Listing{"", {}, InRoot::yes});
  action.labels["build:core"] = "";
  action.root_builds.clear();
  CHECK(listing_of(action, "build:core") == Listing{"", {"cu130", "cpu"}, InRoot::yes});
  action.labels["build:core"] = "cpu";
  action.also_listed["build:core"] = {""};
  CHECK(listing_of(action, "build:core") == Listing{"cpu", {}, InRoot::yes});
}

TEST_CASE("the sub-indexes of a publication are those of its labels and of more listings") {
  Publish action = family();
  CHECK(sub_indexes(action) == std::set<std::string>{"cpu", "cu130"});
  action.also_listed["build:core"] = {"cu126", ""};
  CHECK(sub_indexes(action) == std::set<std::string>{"cpu", "cu126", "cu130"});
  CHECK(sub_indexes({}).empty());
}

}  // namespace
}  // namespace pinwheel::plan
