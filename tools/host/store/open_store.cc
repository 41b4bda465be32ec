#include "host/store/open_store.h"

#include <fmt/format.h>

#include <random>
#include <utility>

#include "base/text.h"
#include "host/store/tree_place.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

Result<std::unique_ptr<Place>> open_place(const store::PlaceDescription& place,
                                          const StoreSetup& setup, const StoreUser& user) {
  TreeOptions tree{store::to_string(place), {}, place.access, Sharing::shared, user};
  switch (place.kind) {
    case store::PlaceKind::local:
      tree.root = setup.cache / "store";
      tree.sharing = Sharing::machine;
      return std::make_unique<TreePlace>(std::move(tree));
    case store::PlaceKind::directory:
      tree.root = place.path;
      return std::make_unique<TreePlace>(std::move(tree));
    case store::PlaceKind::http:
    case store::PlaceKind::s3:
      break;
  }
  return fail(ErrorKind::usage, fmt::format("the store {} needs a pinwheel that can reach servers",
                                            quoted(store::to_string(place))));
}

}  // namespace

std::string run_id(const std::map<std::string, std::string>& environment) {
  for (const char* name : {"GITHUB_RUN_ID", "CI_PIPELINE_ID", "BUILDKITE_BUILD_ID", "BUILD_BUILDID",
                           "CIRCLE_WORKFLOW_ID", "BUILD_TAG"}) {
    if (const std::string value = value_at(environment, name); !value.empty()) return value;
  }
  std::random_device random;
  return fmt::format("{:08x}{:08x}", random(), random());
}

Result<std::unique_ptr<Store>> open_store(const StoreSetup& setup) {
  const std::string run = setup.run.empty() ? run_id(setup.environment) : setup.run;
  const StoreUser user{run, setup.domain};
  std::vector<ChainedPlace> places;
  for (const store::PlaceDescription& place : setup.places) {
    TRY(std::unique_ptr<Place> opened, open_place(place, setup, user));
    places.push_back({std::move(opened), place.access});
  }
  return std::make_unique<Store>(std::move(places), Store::Options{setup.domain, run, setup.log});
}

}  // namespace pinwheel::host
