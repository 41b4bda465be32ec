#pragma once
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "matrix/matrix.h"
#include "matrix/variant.h"

namespace pinwheel::matrix {

/// Whether a pattern without `!` matches a value: as a glob over the whole value, or over leading
/// components of its version: `12` matches `12.6` and not `120`, `cuda/12` matches `cuda/12.6`.
bool value_matches(std::string_view pattern, std::string_view value);

/// Whether a list of patterns takes a value: one of the plain ones matches (or there is none), and
/// none of those with a leading `!` does.
bool values_match(const std::vector<std::string>& patterns, std::string_view value);

/// Whether the variant satisfies the condition; an axis that it lacks has the value "".
bool matches(const When& when, const Variant& variant);

/// `matches` for many variants: the verdict on each distinct value is found once.
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
