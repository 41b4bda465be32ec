#pragma once
#include <deque>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "matrix/combine.h"

namespace pinwheel::matrix {

/// A map from axis values to facts about them. A matrix has few axes, which are searched linearly,
/// and may have many values, which are hashed. Not for several threads at once.
template <class T>
class AxisMap {
 public:
  AxisMap() = default;
  AxisMap(const AxisMap&) = delete;
  AxisMap& operator=(const AxisMap&) = delete;

  /// The fact stored for the value, or nullptr.
  const T* find(std::string_view axis, const std::string& value) const {
    for (const Values& values : axes_) {
      if (values.axis != axis) continue;
      if (values.last != nullptr && values.last->first == value) return &values.last->second;
      const auto at = values.known.find(value);
      if (at == values.known.end()) return nullptr;
      values.last = &*at;
      return &at->second;
    }
    return nullptr;
  }

  /// Stores the fact and replaces an earlier one. Pointers to other facts stay valid.
  const T& set(std::string_view axis, const std::string& value, T fact) {
    for (Values& values : axes_) {
      if (values.axis == axis) {
        return values.known.insert_or_assign(value, std::move(fact)).first->second;
      }
    }
    Values& values = axes_.emplace_back();
    values.axis = axis;
    return values.known.emplace(value, std::move(fact)).first->second;
  }

 private:
  using Known = std::unordered_map<std::string, T>;
  struct Values {
    std::string axis;
    Known known;
    /// The one found last: most variants share a value with the one before.
    mutable const typename Known::value_type* last = nullptr;
  };

  std::deque<Values> axes_;
};

/// The part of each axis value in ids: for a compute its label, with the full version if the label
/// is not unique in the matrix.
class IdParts {
 public:
  explicit IdParts(const DeclaredComputes& computes) : computes_(computes) {}

  /// Notes a value of an axis in some id.
  void add(const std::string& axis, const std::string& value);
  /// Finds the labels that are not unique, after the last value.
  void finish();
  /// Appends the part of a noted value to an id, after a `-` unless the id is empty.
  void append(const std::string& axis, const std::string& value, std::string& id) const;

 private:
  const DeclaredComputes& computes_;
  AxisMap<std::string> parts_;
  std::map<std::string, std::set<std::string>> by_label_;  ///< the computes of each label
};

/// The ids of all rows, in order. Two rows with the same id, or a row without a value for an axis,
/// are `config` errors that name the rows.
Result<std::vector<std::string>> make_ids(const std::vector<Combination>& rows,
                                          const DeclaredComputes& computes = {});

}  // namespace pinwheel::matrix
