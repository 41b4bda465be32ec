#include "matrix/combine.h"

#include <algorithm>
#include <cstdint>

namespace pinwheel::matrix {
namespace {

/// Values are compared by their index in the axis, which keeps string comparison out of 10,000
/// combinations.
constexpr uint32_t kNoValue = UINT32_MAX;  // a value that the axis does not list

struct Wanted {
  size_t axis = 0;
  uint32_t value = kNoValue;
};

struct Indexed {
  std::vector<uint32_t> values;  // one per axis
  Combination row;
};

size_t axis_index(const Matrix& matrix, const std::string& name) {
  size_t i = 0;
  while (i < matrix.axes.size() && matrix.axes[i].name != name) ++i;
  return i;
}

/// The axis values of a row, without its attributes.
std::vector<Wanted> wanted_of(const Matrix& matrix, const Row& row) {
  std::vector<Wanted> wanted;
  for (const auto& [name, value] : row.values) {
    const size_t axis = axis_index(matrix, name);
    if (axis == matrix.axes.size()) continue;
    const std::vector<std::string>& values = matrix.axes[axis].values;
    const auto at = std::find(values.begin(), values.end(), value);
    wanted.push_back(
        {axis, at == values.end() ? kNoValue : static_cast<uint32_t>(at - values.begin())});
  }
  return wanted;
}

bool has_all(const std::vector<uint32_t>& values, const std::vector<Wanted>& wanted) {
  return std::all_of(wanted.begin(), wanted.end(),
                     [&](const Wanted& w) { return values[w.axis] == w.value; });
}

/// Steps to the next combination, the last axis fastest; false after the last one.
bool advance(const Matrix& matrix, std::vector<uint32_t>& values) {
  for (size_t axis = values.size(); axis-- > 0;) {
    if (++values[axis] < matrix.axes[axis].values.size()) return true;
    values[axis] = 0;
  }
  return false;
}

std::vector<Indexed> product(const Matrix& matrix, std::vector<bool>& exclude_used) {
  std::vector<std::vector<Wanted>> excludes;
  for (const Row& row : matrix.exclude) excludes.push_back(wanted_of(matrix, row));
  std::vector<Indexed> kept;
  std::vector<uint32_t> values(matrix.axes.size(), 0);
  do {
    bool dropped = false;
    for (size_t i = 0; i < excludes.size(); ++i) {
      if (!has_all(values, excludes[i])) continue;
      exclude_used[i] = true;
      dropped = true;
    }
    if (dropped) continue;
    Indexed indexed{values, {}};
    indexed.row.axes.reserve(values.size());
    for (size_t axis = 0; axis < values.size(); ++axis) {
      indexed.row.axes.emplace_back(matrix.axes[axis].name, matrix.axes[axis].values[values[axis]]);
    }
    kept.push_back(std::move(indexed));
  } while (advance(matrix, values));
  return kept;
}

using Pairs = std::vector<std::pair<std::string, std::string>>;

void set_value(Pairs& pairs, const std::string& name, const std::string& value) {
  for (auto& [known, old] : pairs) {
    if (known != name) continue;
    old = value;
    return;
  }
  pairs.emplace_back(name, value);
}

void set_attributes(const Matrix& matrix, const Row& include, Combination& row) {
  for (const auto& [name, value] : include.values) {
    if (axis_index(matrix, name) == matrix.axes.size()) set_value(row.attributes, name, value);
  }
}

Combination row_of(const Matrix& matrix, const Row& include) {
  Combination row;
  row.at = include.at;
  for (const Axis& axis : matrix.axes) {
    for (const auto& [name, value] : include.values) {
      if (name == axis.name) row.axes.emplace_back(name, value);
    }
  }
  set_attributes(matrix, include, row);
  return row;
}

}  // namespace

Combined combine(const Matrix& matrix) {
  std::vector<bool> exclude_used(matrix.exclude.size(), false);
  std::vector<Indexed> kept = product(matrix, exclude_used);
  std::vector<Combination> appended;
  for (const Row& include : matrix.include) {
    const std::vector<Wanted> wanted = wanted_of(matrix, include);
    bool merged = false;
    for (Indexed& indexed : kept) {
      if (!has_all(indexed.values, wanted)) continue;
      set_attributes(matrix, include, indexed.row);
      merged = true;
    }
    if (!merged) appended.push_back(row_of(matrix, include));
  }
  Combined combined;
  combined.rows.reserve(kept.size() + appended.size());
  for (Indexed& indexed : kept) combined.rows.push_back(std::move(indexed.row));
  for (Combination& row : appended) combined.rows.push_back(std::move(row));
  for (size_t i = 0; i < exclude_used.size(); ++i) {
    if (exclude_used[i]) continue;
    combined.warnings.push_back({ErrorKind::config,
                                 "this `exclude` matches no combination",
                                 matrix.exclude[i].at,
                                 "values are compared exactly",
                                 {}});
  }
  return combined;
}

}  // namespace pinwheel::matrix
