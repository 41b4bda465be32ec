#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "matrix/axis_value.h"
#include "matrix/compute_name.h"
#include "matrix/config_error.h"
#include "matrix/decode.h"
#include "matrix/family.h"
#include "matrix/yaml_limits.h"
#include "pep/python_version.h"

namespace pinwheel::matrix {
namespace {

constexpr std::string_view kCompute = "compute";

Done check_python(const Node& value) {
  if (pep::is_python_version(value.scalar)) return {};
  return fail(config_error(fmt::format("no Python has the version {}", quoted(value.scalar)),
                           value.at, pep::python_version_hint(value.scalar)));
}

Done check_package(const Node& value, const Matrix& matrix) {
  std::vector<std::string> names;
  for (const Package* const package : packages_of(matrix)) names.push_back(package->name);
  if (std::ranges::find(names, value.scalar) != names.end()) return {};
  return fail(config_error(fmt::format("the family has no package {}", quoted(value.scalar)),
                           value.at, suggest(value.scalar, names)));
}

/// Checks a value of an axis that determines how builds are made: unknown values are mistakes.
Done check_value(std::string_view axis, const Node& value, const Matrix& matrix) {
  if (axis == "python") return check_python(value);
  if (axis == kCompute) return check_compute(value.scalar, matrix.computes, value.at);
  if (axis == kPackageAxis && !matrix.family.empty()) return check_package(value, matrix);
  if (axis != kLibcAxis || value.scalar == kGlibc || value.scalar == kMusl) return {};
  return fail(
      config_error(fmt::format("axis {} cannot have {}", quoted(kLibcAxis), quoted(value.scalar)),
                   value.at, "its values are `glibc` and `musl`"));
}

Result<Axis> decode_axis(const Node::Member& member, const Matrix& matrix) {
  Axis axis{member.key, {}, member.key_at};
  std::set<std::string> seen;
  for (const Node& value : member.value.items) {
    if (!seen.insert(value.scalar).second) {
      return fail(config_error(
          fmt::format("axis {} lists {} twice", quoted(member.key), quoted(value.scalar)),
          value.at));
    }
    TRY_DONE(check_value(member.key, value, matrix));
    axis.values.push_back(value.scalar);
  }
  return axis;
}

Done decode_attributes(const Node& node, Matrix& matrix) {
  for (const Node& name : node.items) {
    if (find_axis(matrix, name.scalar) != nullptr) {
      return fail(config_error(fmt::format("{} is already an axis", quoted(name.scalar)), name.at));
    }
    matrix.attributes.push_back(name.scalar);
  }
  return {};
}

/// Checks a value of a row: one that an axis lists, or a pattern for some of them.
Done check_row_value(const Node::Member& member, const Matrix& matrix) {
  return is_glob(member.value.scalar) ? Done() : check_value(member.key, member.value, matrix);
}

Result<std::vector<Row>> decode_rows(const Node* node, const std::vector<std::string>& names,
                                     std::string_view what, const Matrix& matrix) {
  std::vector<Row> rows;
  if (node == nullptr) return rows;
  for (const Node& item : node->items) {
    Row row{{}, item.at};
    for (const Node::Member& member : item.members) {
      if (std::find(names.begin(), names.end(), member.key) == names.end()) {
        return fail(config_error(fmt::format("unknown {} {}", what, quoted(member.key)),
                                 member.key_at, suggest(member.key, names)));
      }
      TRY_DONE(check_row_value(member, matrix));
      row.values.emplace_back(member.key, member.value.scalar);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

/// Limits the number of axes, because they are searched linearly.
Done check_count(const Node& root) {
  const Node* const attributes = root.find("attributes");
  const size_t count =
      root.find("axes")->members.size() + (attributes == nullptr ? 0 : attributes->items.size());
  if (count <= kMostAxes) return {};
  return fail(config_error(fmt::format("{} axes and attributes are more than {}", count, kMostAxes),
                           root.find("axes")->at));
}

/// The axis that a family makes: the names of its packages.
Axis package_axis(const Node& root, const Matrix& matrix) {
  Axis axis{kPackageAxis, {}, root.find("family")->at};
  for (const Package* const package : packages_of(matrix)) axis.values.push_back(package->name);
  return axis;
}

}  // namespace

Done decode_axes(const Node& root, Matrix& matrix) {
  TRY_DONE(check_count(root));
  std::vector<std::string> names;
  if (!matrix.family.empty()) {
    matrix.axes.push_back(package_axis(root, matrix));
    names.emplace_back(kPackageAxis);
  }
  for (const Node::Member& member : root.find("axes")->members) {
    if (!std::all_of(member.key.begin(), member.key.end(), [](char c) {
          return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
        })) {
      return fail(config_error(fmt::format("axis {} must be lower case", quoted(member.key)),
                               member.key_at, "axis names consist of `a-z`, `0-9`, `_` and `-`"));
    }
    if (!matrix.family.empty() && member.key == kPackageAxis) {
      return fail(config_error("`family` already makes the axis `package`", member.key_at,
                               "rename this axis"));
    }
    TRY(Axis axis, decode_axis(member, matrix));
    names.push_back(axis.name);
    matrix.axes.push_back(std::move(axis));
  }
  if (const Node* const attributes = root.find("attributes")) {
    TRY_DONE(decode_attributes(*attributes, matrix));
  }
  TRY(matrix.exclude, decode_rows(root.find("exclude"), names, "axis", matrix));
  names.insert(names.end(), matrix.attributes.begin(), matrix.attributes.end());
  TRY(matrix.include, decode_rows(root.find("include"), names, "axis or attribute", matrix));
  return {};
}

}  // namespace pinwheel::matrix
