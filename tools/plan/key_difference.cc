#include "plan/key_difference.h"

#include <fmt/format.h>

#include <set>

#include "base/digest.h"

namespace pinwheel::plan {
namespace {

/// Parts are JSON; strings read better without their quotes.
std::string without_quotes(const std::string& part) {
  const bool quoted = part.size() >= 2 && part.front() == '"' && part.back() == '"';
  return quoted ? part.substr(1, part.size() - 2) : part;
}

std::optional<std::string> part_of(const KeyParts& parts, const std::string& name) {
  const auto found = parts.find(name);
  return found == parts.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

std::vector<KeyDifference> key_differences(const KeyParts& then, const KeyParts& now) {
  std::set<std::string> names;
  for (const KeyParts* const parts : {&then, &now}) {
    for (const auto& [name, value] : *parts) names.insert(name);
  }
  std::vector<KeyDifference> out;
  for (const std::string& name : names) {
    KeyDifference one{name, part_of(then, name), part_of(now, name)};
    if (one.then != one.now) out.push_back(std::move(one));
  }
  return out;
}

std::string to_text(const KeyDifference& difference) {
  if (!difference.then) return difference.part + " is new";
  if (!difference.now) return difference.part + " is gone";
  if (is_sha256_hex(*difference.then) || is_sha256_hex(*difference.now)) {
    return difference.part + " changed";
  }
  return fmt::format("{}: {} -> {}", difference.part, without_quotes(*difference.then),
                     without_quotes(*difference.now));
}

}  // namespace pinwheel::plan
