#include "matrix/compute_pattern.h"

#include "matrix/condition.h"

namespace pinwheel::matrix {

bool matches_compute(std::string_view pattern, const Variant& variant) {
  const size_t at = pattern.find('@');
  const std::string_view compute = pattern.substr(0, at);
  if (!compute.empty() && !value_matches(compute, variant.get("compute"))) return false;
  return at == std::string_view::npos || value_matches(pattern.substr(at + 1), variant.get("arch"));
}

}  // namespace pinwheel::matrix
