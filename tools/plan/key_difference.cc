#include "plan/key_difference.h"

#include <fmt/format.h>

#include "base/digest.h"

namespace pinwheel::plan {
namespace {

/// Parts are JSON; strings read better without their quotes.
std::string without_quotes(const std::string& part) {
  const bool quoted = part.size() >= 2 && part.front() == '"' && part.back() == '"';
  return quoted ? part.substr(1, part.size() - 2) : part;
}

}  // namespace

std::string to_text(const KeyDifference& difference) {
  if (!difference.then) return difference.name + " is new";
  if (!difference.now) return difference.name + " is gone";
  if (is_sha256_hex(*difference.then) || is_sha256_hex(*difference.now)) {
    return difference.name + " changed";
  }
  return fmt::format("{}: {} -> {}", difference.name, without_quotes(*difference.then),
                     without_quotes(*difference.now));
}

}  // namespace pinwheel::plan
