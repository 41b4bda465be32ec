#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace pinwheel {

/// A name whose values differ in two maps.
template <typename Value>
struct MapDifference {
  std::string name;
  std::optional<Value> then = std::nullopt;  ///< nullopt: it is new
  std::optional<Value> now = std::nullopt;   ///< nullopt: it is gone

  bool operator==(const MapDifference&) const = default;
};

/// The differences between two maps, sorted by name.
template <typename Value>
std::vector<MapDifference<Value>> map_differences(const std::map<std::string, Value>& then,
                                                  const std::map<std::string, Value>& now) {
  std::map<std::string, MapDifference<Value>> both;
  for (const auto& [name, value] : then) both[name].then = value;
  for (const auto& [name, value] : now) both[name].now = value;
  std::vector<MapDifference<Value>> out;
  for (const auto& [name, one] : both) {
    if (one.then != one.now) out.push_back({name, one.then, one.now});
  }
  return out;
}

}  // namespace pinwheel
