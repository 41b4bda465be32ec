#include "matrix/compute_pattern.h"

#include "base/text.h"

namespace pinwheel::matrix {

bool matches_compute(std::string_view pattern, const Variant& variant) {
  const size_t at = pattern.find('@');
  const std::string_view compute = pattern.substr(0, at);
  if (!compute.empty() && !glob_match(compute, variant.get("compute"))) return false;
  return at == std::string_view::npos || glob_match(pattern.substr(at + 1), variant.get("arch"));
}

}  // namespace pinwheel::matrix
