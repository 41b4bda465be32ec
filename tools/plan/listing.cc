#include "plan/listing.h"

#include <algorithm>

#include "base/text.h"

namespace pinwheel::plan {

Listing listing_of(const Publish& action, const std::string& build) {
  Listing listing{value_at(action.labels, build)};
  bool in_root = listing.label.empty() || build == action.default_build ||
                 std::ranges::find(action.root_builds, build) != action.root_builds.end();
  const auto also = action.also_listed.find(build);
  if (also != action.also_listed.end()) {
    for (const std::string& label : also->second) {
      in_root = in_root || label.empty();
      const bool known = label.empty() || label == listing.label ||
                         std::ranges::find(listing.also, label) != listing.also.end();
      if (!known) listing.also.push_back(label);
    }
  }
  if (in_root) listing.in_root = publish::InRoot::yes;
  return listing;
}

std::set<std::string> sub_indexes(const Publish& action) {
  std::set<std::string> labels;
  for (const auto& [build, label] : action.labels) {
    const Listing listing = listing_of(action, build);
    labels.insert(label);
    labels.insert(listing.also.begin(), listing.also.end());
  }
  labels.erase("");
  return labels;
}

}  // namespace pinwheel::plan
