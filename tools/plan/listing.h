#pragma once
#include <set>
#include <string>
#include <vector>

#include "plan/action.h"
#include "publish/catalog.h"

namespace pinwheel::plan {

/// Where an index in a directory or a bucket lists the wheels of a build.
struct Listing {
  std::string label = {};              ///< the sub-index with the files; empty: the root
  std::vector<std::string> also = {};  ///< more sub-indexes
  publish::InRoot in_root = publish::InRoot::no;

  bool operator==(const Listing&) const = default;
};

/// The wheels of a build are in the sub-index of its label, and in those of the wheels that require
/// them. The root index lists those of the default builds, with all that they require, and files
/// without a label, such as an sdist.
Listing listing_of(const Publish& action, const std::string& build);

/// The sub-indexes that a publication changes.
std::set<std::string> sub_indexes(const Publish& action);

}  // namespace pinwheel::plan
