#include "matrix/combine.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <string_view>
#include <unordered_map>

#include "base/text.h"
#include "matrix/condition.h"
#include "matrix/config_error.h"
#include "matrix/family.h"

namespace pinwheel::matrix {
namespace {

/// Values are compared by their index in the axis, which keeps string comparison out of 100,000
/// combinations.
constexpr uint32_t kNoValue = UINT32_MAX;  // a value that the axis does not list

struct Indexed {
  std::vector<uint32_t> values;  // one per axis
  Combination row;
};

size_t axis_index(const Matrix& matrix, const std::string& name) {
  size_t i = 0;
  while (i < matrix.axes.size() && matrix.axes[i].name != name) ++i;
  return i;
}

/// The axes that rows name, and their values there.
struct Wanted {
  std::vector<size_t> axes;
  std::vector<uint32_t> values;
};

/// By axis, for a row with globs: which of the axis's values match, by index.
using Matching = std::vector<std::pair<size_t, std::vector<bool>>>;

bool matches_all(const Matching& matching, const std::vector<uint32_t>& values) {
  return std::all_of(matching.begin(), matching.end(),
                     [&values](const auto& axis) { return axis.second[values[axis.first]]; });
}

class AxisValues {
 public:
  explicit AxisValues(const Matrix& matrix) : matrix_(matrix), indexes_(matrix.axes.size()) {
    for (size_t axis = 0; axis < matrix.axes.size(); ++axis) {
      const std::vector<std::string>& values = matrix.axes[axis].values;
      for (size_t i = 0; i < values.size(); ++i) {
        indexes_[axis].emplace(values[i], static_cast<uint32_t>(i));
      }
    }
  }

  /// Whether the row has a pattern. A value that its axis lists is never a pattern.
  bool has_glob(const Row& row) const {
    return std::any_of(row.values.begin(), row.values.end(), [this](const auto& pair) {
      const size_t axis = axis_index(matrix_, pair.first);
      return axis < matrix_.axes.size() && is_glob(pair.second) &&
             !indexes_[axis].contains(pair.second);
    });
  }

  Matching matching_of(const Row& row) const {
    Matching matching;
    for (const auto& [name, value] : row.values) {
      const size_t axis = axis_index(matrix_, name);
      if (axis == matrix_.axes.size()) continue;
      const bool exact = !is_glob(value) || indexes_[axis].contains(value);
      std::vector<bool> fits;
      for (const std::string& each : matrix_.axes[axis].values) {
        fits.push_back(exact ? each == value : value_matches(value, each));
      }
      matching.emplace_back(axis, std::move(fits));
    }
    return matching;
  }

  /// The axis values of a row, without its attributes.
  Wanted wanted_of(const Row& row) const {
    std::map<size_t, uint32_t> by_axis;
    for (const auto& [name, value] : row.values) {
      const size_t axis = axis_index(matrix_, name);
      if (axis == matrix_.axes.size()) continue;
      const auto at = indexes_[axis].find(value);
      by_axis.emplace(axis, at == indexes_[axis].end() ? kNoValue : at->second);
    }
    Wanted wanted;
    for (const auto& [axis, value] : by_axis) {
      wanted.axes.push_back(axis);
      wanted.values.push_back(value);
    }
    return wanted;
  }

 private:
  const Matrix& matrix_;
  std::vector<std::unordered_map<std::string_view, uint32_t>> indexes_;
};

struct HashOfValues {
  size_t operator()(const std::vector<uint32_t>& values) const {
    const auto* const bytes = reinterpret_cast<const char*>(values.data());
    return std::hash<std::string_view>()({bytes, values.size() * sizeof(uint32_t)});
  }
};

/// Items by the values of some axes. The rows of a matrix name only a few sets of axes.
class ByValues {
 public:
  using Places = std::vector<size_t>;

  void add(const Wanted& wanted, size_t place) {
    sets_[wanted.axes][wanted.values].push_back(place);
  }
  /// Calls `use` with each list of places for the values of a combination.
  template <class Use>
  void each_of(const std::vector<uint32_t>& values, const Use& use) const {
    std::vector<uint32_t> some;
    for (const auto& [axes, places] : sets_) {
      some.clear();
      for (const size_t axis : axes) some.push_back(values[axis]);
      if (const auto found = places.find(some); found != places.end()) use(found->second);
    }
  }

 private:
  std::map<std::vector<size_t>, std::unordered_map<std::vector<uint32_t>, Places, HashOfValues>>
      sets_;
};

/// The rows of `exclude` or `include`, for lookup by a combination.
class RowLookup {
 public:
  RowLookup(const AxisValues& known, const std::vector<Row>& rows) {
    for (size_t i = 0; i < rows.size(); ++i) {
      if (known.has_glob(rows[i])) {
        globs_.emplace_back(known.matching_of(rows[i]), ByValues::Places{i});
      } else {
        exact_.add(known.wanted_of(rows[i]), i);
      }
    }
  }

  template <class Use>
  void each_of(const std::vector<uint32_t>& values, const Use& use) const {
    exact_.each_of(values, use);
    for (const auto& [matching, places] : globs_) {
      if (matches_all(matching, values)) use(places);
    }
  }

 private:
  ByValues exact_;
  std::vector<std::pair<Matching, ByValues::Places>> globs_;
};

/// Steps to the next combination, the last axis fastest; false after the last one.
bool advance(const Matrix& matrix, std::vector<uint32_t>& values) {
  for (size_t axis = values.size(); axis-- > 0;) {
    if (++values[axis] < matrix.axes[axis].values.size()) return true;
    values[axis] = 0;
  }
  return false;
}

std::vector<Indexed> product(const Matrix& matrix, const AxisValues& known,
                             std::vector<bool>& exclude_used) {
  const RowLookup excludes(known, matrix.exclude);
  std::vector<Indexed> remaining;
  if (matrix.exclude.empty()) {
    size_t count = 1;
    for (const Axis& axis : matrix.axes) count *= axis.values.size();
    remaining.reserve(count);
  }
  std::vector<uint32_t> values(matrix.axes.size(), 0);
  do {
    bool dropped = false;
    excludes.each_of(values, [&](const ByValues::Places& places) {
      for (const size_t i : places) exclude_used[i] = true;
      dropped = true;
    });
    if (dropped) continue;
    Indexed indexed{values, {}};
    indexed.row.axes.reserve(values.size());
    for (size_t axis = 0; axis < values.size(); ++axis) {
      indexed.row.axes.emplace_back(matrix.axes[axis].name, matrix.axes[axis].values[values[axis]]);
    }
    remaining.push_back(std::move(indexed));
  } while (advance(matrix, values));
  return remaining;
}

/// For each `include`, the combinations into which it is merged.
std::vector<ByValues::Places> merges_of(const Matrix& matrix, const AxisValues& known,
                                        const std::vector<Indexed>& remaining) {
  const RowLookup includes(known, matrix.include);
  std::vector<ByValues::Places> merges(matrix.include.size());
  for (size_t row = 0; row < remaining.size(); ++row) {
    includes.each_of(remaining[row].values, [&](const ByValues::Places& places) {
      for (const size_t i : places) merges[i].push_back(row);
    });
  }
  return merges;
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

/// The combinations that a row adds. With a family, a row without `package` adds one for each.
std::vector<Combination> rows_of(const Matrix& matrix, const Row& include) {
  const Combination row = row_of(matrix, include);
  const bool named =
      std::ranges::any_of(row.axes, [](const auto& axis) { return axis.first == kPackageAxis; });
  if (matrix.family.empty() || named) return {row};
  std::vector<Combination> rows;
  for (const Package* const package : packages_of(matrix)) {
    rows.push_back(row);
    rows.back().axes.insert(rows.back().axes.begin(), {kPackageAxis, package->name});
  }
  return rows;
}

Error no_combination(const Row& include) {
  return config_error(
      "this `include` matches no combination", include.at,
      "a pattern only matches values of the axis; write the value itself to add a combination");
}

}  // namespace

Result<Combined> combine(const Matrix& matrix) {
  const AxisValues known(matrix);
  std::vector<bool> exclude_used(matrix.exclude.size(), false);
  std::vector<Indexed> remaining = product(matrix, known, exclude_used);
  std::vector<Combination> appended;
  const std::vector<ByValues::Places> merges = merges_of(matrix, known, remaining);
  for (size_t i = 0; i < matrix.include.size(); ++i) {
    const Row& include = matrix.include[i];
    for (const size_t row : merges[i]) set_attributes(matrix, include, remaining[row].row);
    if (!merges[i].empty()) continue;
    if (known.has_glob(include)) return fail(no_combination(include));
    for (Combination& row : rows_of(matrix, include)) appended.push_back(std::move(row));
  }
  Combined combined;
  combined.rows.reserve(remaining.size() + appended.size());
  for (Indexed& indexed : remaining) combined.rows.push_back(std::move(indexed.row));
  for (Combination& row : appended) combined.rows.push_back(std::move(row));
  for (size_t i = 0; i < exclude_used.size(); ++i) {
    if (exclude_used[i]) continue;
    combined.warnings.push_back(
        {ErrorKind::config,
         "this `exclude` matches no combination",
         matrix.exclude[i].at,
         "a value is compared exactly, a glob with the values that the axis lists",
         {}});
  }
  return combined;
}

}  // namespace pinwheel::matrix
