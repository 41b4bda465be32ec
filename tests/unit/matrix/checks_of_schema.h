#pragma once
#include <algorithm>
#include <set>
#include <string>

#include "matrix/schema.h"
#include "unit/catch.h"

namespace pinwheel::testing {

/// The key of that name among `keys`.
inline const matrix::Shape& shape_of(const std::vector<matrix::Key>& keys,
                                     const std::string& name) {
  const auto found = std::find_if(keys.begin(), keys.end(),
                                  [&](const matrix::Key& key) { return key.name == name; });
  REQUIRE(found != keys.end());
  return found->shape;
}

/// The names that the schema allows in `checks: before:` or `after:`, with an argument or without.
inline std::set<std::string> checks_of_schema(const std::string& when) {
  const matrix::Shape& list = shape_of(shape_of(matrix::matrix_shape().keys, "checks").keys, when);
  REQUIRE(list.item.size() == 1);
  std::set<std::string> names(list.item[0].allowed.begin(), list.item[0].allowed.end());
  for (const matrix::Key& key : list.item[0].keys) names.insert(key.name);
  return names;
}

}  // namespace pinwheel::testing
