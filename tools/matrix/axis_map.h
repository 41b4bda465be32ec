#pragma once
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace pinwheel::matrix {

/// Something known of each value of each axis. A matrix has few axes, which are searched in order,
/// and may have many values, which are found by their hash.
template <class T>
class AxisMap {
 public:
  /// What is known of the value; nullptr when nothing is.
  const T* find(std::string_view axis, const std::string& value) const {
    for (const auto& [name, known] : axes_) {
      if (name != axis) continue;
      const auto at = known.find(value);
      return at == known.end() ? nullptr : &at->second;
    }
    return nullptr;
  }

  /// Remembers it in place of what was known. Pointers to other values stay valid.
  const T& set(std::string_view axis, const std::string& value, T fact) {
    for (auto& [name, known] : axes_) {
      if (name == axis) return known.insert_or_assign(value, std::move(fact)).first->second;
    }
    axes_.emplace_back(axis, std::unordered_map<std::string, T>());
    return axes_.back().second.emplace(value, std::move(fact)).first->second;
  }

 private:
  std::vector<std::pair<std::string, std::unordered_map<std::string, T>>> axes_;
};

}  // namespace pinwheel::matrix
