#include "matrix/decode.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "base/text.h"
#include "matrix/condition.h"
#include "matrix/config_error.h"

namespace pinwheel::matrix {

const Axis* find_axis(const Matrix& matrix, std::string_view name) {
  const auto found = std::ranges::find(matrix.axes, name, &Axis::name);
  return found == matrix.axes.end() ? nullptr : &*found;
}

std::vector<std::string> values_of_axis(const Matrix& matrix, std::string_view name) {
  std::vector<std::string> values;
  std::unordered_set<std::string> seen;
  const auto add = [&](const std::string& value) {
    if (seen.insert(value).second) values.push_back(value);
  };
  const Axis* const axis = find_axis(matrix, name);
  if (axis != nullptr) std::ranges::for_each(axis->values, add);
  for (const Row& row : matrix.include) {
    for (const auto& [key, value] : row.values) {
      if (key == name && (axis == nullptr || !is_glob(value))) add(value);
    }
  }
  return values;
}

namespace {

/// Every value that a variant may have on any axis.
std::vector<std::string> values_in(const Matrix& matrix) {
  std::vector<std::string> values;
  for (const Axis& axis : matrix.axes) {
    const std::vector<std::string> own = values_of_axis(matrix, axis.name);
    values.insert(values.end(), own.begin(), own.end());
  }
  return values;
}

bool matches_some(std::string_view pattern, const std::vector<std::string>& values) {
  return std::any_of(values.begin(), values.end(),
                     [pattern](const std::string& value) { return value_matches(pattern, value); });
}

}  // namespace

std::vector<std::string> names_in(const Matrix& matrix) {
  std::vector<std::string> names;
  for (const Axis& axis : matrix.axes) names.push_back(axis.name);
  names.insert(names.end(), matrix.attributes.begin(), matrix.attributes.end());
  return names;
}

std::vector<std::string> strings_of(const Node& node) {
  if (node.type == Node::Type::scalar) return {node.scalar};
  std::vector<std::string> texts;
  for (const Node& item : node.items) texts.push_back(item.scalar);
  return texts;
}

std::string text_or(const Node& mapping, std::string_view key, const std::string& fallback) {
  const Node* const node = mapping.find(key);
  return node == nullptr ? fallback : node->scalar;
}

Result<When> decode_when(const Node& node, const Matrix& matrix) {
  const std::vector<std::string> names = names_in(matrix);
  When when;
  for (const Node::Member& member : node.members) {
    if (std::find(names.begin(), names.end(), member.key) == names.end()) {
      return fail(config_error(fmt::format("unknown axis {}", quoted(member.key)), member.key_at,
                               suggest(member.key, names)));
    }
    when[member.key] = strings_of(member.value);
  }
  return when;
}

Done check_by_value(const Node& node, const Matrix& matrix) {
  if (node.type != Node::Type::mapping) return {};
  const std::vector<std::string> values = values_in(matrix);
  for (const Node::Member& member : node.members) {
    if (member.key == "default") continue;
    if (matches_some(member.key, values)) continue;
    return fail(config_error(fmt::format("{} matches no value of any axis", quoted(member.key)),
                             member.key_at, suggest(member.key, values)));
  }
  return {};
}

Done check_pattern(const std::string& pattern, std::string_view axis, const Location& at,
                   const Matrix& matrix) {
  const std::vector<std::string> values = values_of_axis(matrix, axis);
  if (matches_some(pattern, values)) return {};
  return fail(
      config_error(fmt::format("{} matches no value of axis {}", quoted(pattern), quoted(axis)), at,
                   values.empty() ? fmt::format("the matrix has no axis {}", quoted(axis))
                                  : suggest(pattern, values)));
}

Done check_by_compute(const Node& node, const Matrix& matrix) {
  if (node.type != Node::Type::mapping) return {};
  for (const Node::Member& member : node.members) {
    if (member.key == "default") continue;
    TRY_DONE(check_pattern(member.key, "compute", member.key_at, matrix));
  }
  return {};
}

}  // namespace pinwheel::matrix
