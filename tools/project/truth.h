#pragma once

namespace pinwheel::project {

/// Whether a condition of a build file holds, as far as reading shows.
enum class Truth { no, yes, unknown };

constexpr Truth truth_of(bool holds) {
  return holds ? Truth::yes : Truth::no;
}

/// The truth of two cases of which one applies.
constexpr Truth either(Truth a, Truth b) {
  return a == b ? a : Truth::unknown;
}

constexpr Truth negated(Truth truth) {
  if (truth == Truth::unknown) return Truth::unknown;
  return truth_of(truth == Truth::no);
}

constexpr Truth both(Truth a, Truth b) {
  if (a == Truth::no || b == Truth::no) return Truth::no;
  return either(a, b);
}

constexpr Truth one_of(Truth a, Truth b) {
  return negated(both(negated(a), negated(b)));
}

}  // namespace pinwheel::project
