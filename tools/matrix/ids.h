#pragma once
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "matrix/combine.h"

namespace pinwheel::matrix {

/// A map from axis values to facts about them. A matrix has few axes, which are searched linearly,
/// and may have many values, which are hashed.
template <class T>
class AxisMap {
 public:
  /// The fact stored for the value, or nullptr.
  const T* find(std::string_view axis, const std::string& value) const {
    for (const auto& [name, known] : axes_) {
      if (name != axis) continue;
      const auto at = known.find(value);
      return at == known.end() ? nullptr : &at->second;
    }
    return nullptr;
  }

  /// Stores the fact and replaces an earlier one. Pointers to other facts stay valid.
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

/// The part of each axis value in ids: for a compute its label, with the full version if the label
/// is not unique in the matrix.
class IdParts {
 public:
  explicit IdParts(const std::vector<Combination>& rows, const DeclaredComputes& computes = {});

  /// The parts of the axis values joined by `-`; the values must be from the rows given to the
  /// constructor.
  std::string id_of(const std::vector<std::pair<std::string, std::string>>& axes) const;

 private:
  AxisMap<std::string> parts_;
};

/// The ids of all rows, in order. Two rows with the same id, or a row without a value for an axis,
/// are `config` errors that name the rows.
Result<std::vector<std::string>> make_ids(const std::vector<Combination>& rows,
                                          const DeclaredComputes& computes = {});

}  // namespace pinwheel::matrix
