#pragma once
#include <string>
#include <utility>
#include <vector>

#include "matrix/expand.h"
#include "matrix/parse.h"
#include "unit/catch.h"

namespace pinwheel::testing {

inline const std::string kHead = "schema: pinwheel/1\npackage: {name: demo, source: .}\n";

/// The value of a result; the test fails with the rendered error when there is none.
template <class T>
T value_of(Result<T> result) {
  if (!result) FAIL(render(result.error()));
  return std::move(*result);
}

/// A matrix with the usual head (two lines) and this body.
inline matrix::Matrix parsed(const std::string& body) {
  return value_of(matrix::parse(kHead + body, "m.yaml"));
}

inline std::vector<std::string> ids_of(const std::vector<matrix::Variant>& variants) {
  std::vector<std::string> ids;
  for (const matrix::Variant& variant : variants) ids.push_back(variant.id);
  return ids;
}

inline const matrix::Variant& variant_named(const matrix::Expansion& expansion,
                                            const std::string& id) {
  for (const matrix::Variant& variant : expansion.variants) {
    if (variant.id == id) return variant;
  }
  FAIL("no variant " << id);
  return expansion.variants.front();
}

}  // namespace pinwheel::testing
