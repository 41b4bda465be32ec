#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "base/text.h"
#include "matrix/axis_value.h"
#include "matrix/expand.h"
#include "matrix/family.h"
#include "matrix/ids.h"
#include "matrix/merge.h"
#include "matrix/settings.h"

namespace pinwheel::matrix {
namespace {

const std::string& reduced_once(AxisMap<std::string>& known, const Abi& abi,
                                const std::string& axis, const std::string& value) {
  const std::string* const before = known.find(axis, value);
  return before != nullptr ? *before : known.set(axis, value, binary_part(abi, axis, value));
}

/// The axes of the variant that remain after the reduction.
Combination remaining_axes(const AxisMap<std::string>& reductions, const Variant& variant) {
  Combination remaining;
  remaining.axes.reserve(variant.axes.size());
  for (const auto& [axis, value] : variant.axes) {
    const std::string& part = *reductions.find(axis, value);
    if (!part.empty()) remaining.axes.emplace_back(axis, part);
  }
  return remaining;
}

/// Orders by toolkit, then torch, then Python: the age of the toolkit determines which drivers load
/// the code.
bool is_older(const Variant& a, const Variant& b) {
  for (const char* axis : {"compute", "torch", "python"}) {
    const int order = compare_versions(a.get(axis), b.get(axis));
    if (order != 0) return order < 0;
  }
  return false;
}

/// Whether `a` is the better representative: maintained before unmaintained, then the older, then
/// the first.
bool represents_better(const Variant& a, const Variant& b) {
  const bool a_left = a.status == Status::unmaintained;
  const bool b_left = b.status == Status::unmaintained;
  return a_left == b_left ? is_older(a, b) : b_left;
}

struct Group {
  std::vector<const Variant*> members;
  const Variant* representative = nullptr;
};

struct Grouping {
  std::vector<Group> groups;
  std::vector<Combination> remaining;  // the remaining axes of each group
};

Grouping group_variants(const Matrix& matrix, const std::vector<Variant>& variants) {
  Grouping grouping;
  auto& [groups, remaining] = grouping;
  groups.reserve(variants.size());
  remaining.reserve(variants.size());
  std::unordered_map<std::string, size_t> known;
  known.reserve(variants.size());
  std::map<std::string, AxisMap<std::string>> by_package;
  std::string key;
  for (const Variant& variant : variants) {
    key.clear();
    const Abi& abi = abi_of(matrix, variant);
    AxisMap<std::string>& reductions = by_package[variant.get(kPackageAxis)];
    for (const auto& [axis, value] : variant.axes) {
      const std::string& part = reduced_once(reductions, abi, axis, value);
      if (!part.empty()) key.append(axis).append(1, '=').append(part).append(1, '\n');
    }
    const auto [at, fresh] = known.emplace(key, groups.size());
    if (fresh) {
      remaining.push_back(remaining_axes(reductions, variant));
      Group& group = groups.emplace_back();
      group.members.push_back(&variant);
      group.representative = &variant;
      continue;
    }
    Group& group = groups[at->second];
    group.members.push_back(&variant);
    if (represents_better(variant, *group.representative)) group.representative = &variant;
  }
  return grouping;
}

bool sets_with(const Node& sections) {
  const Node* const build = sections.find("build");
  return build != nullptr && build->find("with") != nullptr;
}

bool uses_with(const Matrix& matrix) {
  return sets_with(matrix.sections) ||
         std::any_of(matrix.overrides.begin(), matrix.overrides.end(),
                     [](const Matrix::Override& override) { return sets_with(override.patch); });
}

/// Applies `build.with`, if the settings of the class name one; it must be a member.
Done apply_with(const Matrix& matrix, AbiClass& cls, const Variant& computed) {
  TRY(const Settings settings, settings_for(matrix, computed));
  const std::string& with = settings.build.with;
  if (with.empty()) return {};
  if (std::find(cls.members.begin(), cls.members.end(), with) == cls.members.end()) {
    const Node sections = sections_for(matrix, computed);
    return fail(Error{ErrorKind::config,
                      fmt::format("`with` must name a member of class {}, and {} is not one",
                                  quoted(cls.id), quoted(with)),
                      sections.find("build")->find("with")->at,
                      suggest(with, cls.members),
                      {}});
  }
  cls.representative = with;
  return {};
}

/// Adds the classes of other packages that the members need.
Done add_siblings(const Matrix& matrix, const std::vector<Variant>& variants,
                  std::vector<AbiClass>& classes) {
  if (matrix.family.empty()) return {};
  const VariantIndex index(variants);
  const SiblingClasses siblings(matrix, classes, variants);
  for (AbiClass& cls : classes) {
    for (const std::string& id : cls.members) {
      TRY(const Variant* const member, index.find(id));
      TRY(std::vector<std::string> needed, siblings.required_by(*member));
      if (!needed.empty()) cls.siblings.emplace(id, std::move(needed));
    }
  }
  return {};
}

}  // namespace

std::string binary_part(const Abi& abi, const std::string& axis, const std::string& value) {
  if (axis == "python") return python_abi_for(abi, value) == PythonAbi::version ? value : "";
  if (axis == "torch") return abi.torch == TorchAbi::minor ? leading(2, value) : "";
  if (axis != "compute" || abi.compute == ComputeAbi::exact) return value;
  if (abi.compute == ComputeAbi::none) return "";
  const Compute compute = split_compute(value);
  if (compute.version.empty()) return value;
  return fmt::format("{}/{}", compute.family, leading(1, compute.version));
}

PythonAbi python_abi_for(const Abi& abi, const std::string& python) {
  const bool lacks_it = python.ends_with('t') || compare_versions(python, abi.python_limited) < 0;
  const bool own = abi.python == PythonAbi::limited && abi.python_else_version && lacks_it;
  return own ? PythonAbi::version : abi.python;
}

Result<std::vector<AbiClass>> abi_classes(const Matrix& matrix,
                                          const std::vector<Variant>& variants) {
  const auto [groups, remaining] = group_variants(matrix, variants);
  const IdParts parts(remaining, matrix.computes);
  const bool with = uses_with(matrix);
  std::unordered_map<std::string, size_t> taken;
  taken.reserve(groups.size());
  std::vector<AbiClass> classes;
  classes.reserve(groups.size());
  for (size_t i = 0; i < groups.size(); ++i) {
    const Group& group = groups[i];
    AbiClass cls;
    cls.id = remaining[i].axes.empty() ? "any" : parts.id_of(remaining[i].axes);
    const auto [other, fresh] = taken.emplace(cls.id, classes.size());
    if (!fresh) {
      return fail(
          ErrorKind::config,
          fmt::format("two ABI classes have the id {}: those of {} and of {}", quoted(cls.id),
                      quoted(classes[other->second].members[0]), quoted(group.members[0]->id)),
          "choose axis values that differ in `a-z`, `0-9`, `.`, `_` and `-`");
    }
    cls.members.reserve(group.members.size());
    for (const Variant* member : group.members) cls.members.push_back(member->id);
    cls.representative = group.representative->id;
    const std::string& package = package_of(matrix, *group.representative).name;
    if (package != matrix.package.name) cls.package = package;
    if (with) TRY_DONE(apply_with(matrix, cls, *group.representative));
    classes.push_back(std::move(cls));
  }
  TRY_DONE(add_siblings(matrix, variants, classes));
  return classes;
}

}  // namespace pinwheel::matrix
