#pragma once
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "matrix/matrix.h"
#include "matrix/variant.h"

namespace pinwheel::matrix {

/// Whether a pattern without `!` matches a value: as a glob on the whole value, or on leading
/// components of its version: `12` matches `12.6` and not `120`, `cuda/12` matches `cuda/12.6`.
bool value_matches(std::string_view pattern, std::string_view value);

/// Whether a list of patterns matches a value: one of the plain patterns matches (or there is
/// none), and no pattern with a leading `!` does.
bool values_match(const std::vector<std::string>& patterns, std::string_view value);

/// Whether the variant satisfies the condition; a missing axis has the value "".
bool matches(const When& when, const Variant& variant);

/// `matches` for many variants: caches the result for each distinct value.
class Condition {
 public:
  explicit Condition(const When& when);

  bool matches(const Variant& variant);

 private:
  struct OnAxis {
    std::string axis;
    std::vector<std::string> patterns;
    std::unordered_map<std::string, bool> verdicts;
  };
  std::vector<OnAxis> axes_;
};

}  // namespace pinwheel::matrix
