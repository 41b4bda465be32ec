#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/text.h"
#include "base/text_index.h"
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

/// Calls `use` with each axis of a variant that remains after the reduction, and with the part of
/// its value.
template <class Use>
void each_remaining(const AxisMap<std::string>& reductions, const Variant& variant,
                    const Use& use) {
  for (const auto& [axis, value] : variant.axes) {
    const std::string& part = *reductions.find(axis, value);
    if (!part.empty()) use(axis, part);
  }
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

/// Classes without ids.
struct Grouping {
  std::vector<AbiClass> classes;
  std::vector<const Variant*> first;  ///< of each class, the first member
  std::vector<const Variant*> representatives;
  std::map<std::string, AxisMap<std::string>> reductions;  ///< by package
};

Grouping group_variants(const Matrix& matrix, const std::vector<Variant>& variants) {
  Grouping grouping;
  auto& [classes, first, representatives, by_package] = grouping;
  classes.reserve(variants.size());
  first.reserve(variants.size());
  representatives.reserve(variants.size());
  UniqueTexts keys(variants.size());
  std::string key;
  for (const Variant& variant : variants) {
    key.clear();
    const Abi& abi = abi_of(matrix, variant);
    AxisMap<std::string>& reductions = by_package[variant.get(kPackageAxis)];
    for (const auto& [axis, value] : variant.axes) {
      const std::string& part = reduced_once(reductions, abi, axis, value);
      if (!part.empty()) key.append(axis).append(1, '=').append(part).append(1, '\n');
    }
    const size_t at = keys.add(key);
    if (at == classes.size()) {
      classes.emplace_back();
      first.push_back(&variant);
      representatives.push_back(&variant);
    } else if (represents_better(variant, *representatives[at])) {
      representatives[at] = &variant;
    }
    classes[at].members.push_back(variant.id);
  }
  return grouping;
}

/// Gives each class its id. `config` if two have the same.
Done name_classes(const Matrix& matrix, Grouping& grouping) {
  auto& [classes, first, representatives, by_package] = grouping;
  std::vector<const AxisMap<std::string>*> reductions;
  reductions.reserve(classes.size());
  for (const Variant* const variant : first) {
    reductions.push_back(&by_package.at(variant->get(kPackageAxis)));
  }
  IdParts parts(matrix.computes);
  const auto add = [&parts](const auto& axis, const auto& part) { parts.add(axis, part); };
  for (size_t i = 0; i < first.size(); ++i) each_remaining(*reductions[i], *first[i], add);
  parts.finish();
  TextIndex taken(classes.size());
  const auto id_at = [&grouping](size_t i) -> const std::string& { return grouping.classes[i].id; };
  std::string id;
  for (size_t i = 0; i < first.size(); ++i) {
    bool remains = false;
    id.clear();
    each_remaining(*reductions[i], *first[i], [&](const auto& axis, const auto& part) {
      remains = true;
      parts.append(axis, part, id);
    });
    classes[i].id = remains ? id : "any";
    const size_t other = taken.add(classes[i].id, i, id_at);
    if (other == i) continue;
    return fail(ErrorKind::config,
                fmt::format("two ABI classes have the id {}: those of {} and of {}",
                            quoted(classes[i].id), quoted(first[other]->id), quoted(first[i]->id)),
                "choose axis values that differ in `a-z`, `0-9`, `.`, `_` and `-`");
  }
  return {};
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
  Grouping grouping = group_variants(matrix, variants);
  TRY_DONE(name_classes(matrix, grouping));
  const bool with = uses_with(matrix);
  for (size_t i = 0; i < grouping.classes.size(); ++i) {
    AbiClass& cls = grouping.classes[i];
    const Variant& representative = *grouping.representatives[i];
    cls.representative = representative.id;
    const std::string& package = package_of(matrix, representative).name;
    if (package != matrix.package.name) cls.package = package;
    if (with) TRY_DONE(apply_with(matrix, cls, representative));
  }
  TRY_DONE(add_siblings(matrix, variants, grouping.classes));
  return std::move(grouping.classes);
}

}  // namespace pinwheel::matrix
