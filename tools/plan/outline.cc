#include "plan/outline.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <unordered_set>
#include <utility>

#include "base/text.h"
#include "matrix/family.h"
#include "plan/step_id.h"

namespace pinwheel::plan {
namespace {

using Ids = std::unordered_set<std::string_view>;

Ids ids_of(const std::vector<matrix::Variant>& variants) {
  Ids ids;
  ids.reserve(variants.size());
  for (const matrix::Variant& variant : variants) ids.insert(variant.id);
  return ids;
}

bool has_siblings(const BuildGroup& group) {
  return !group.cls.siblings.empty();
}

/// Adds the classes whose wheels the selected members of a class require.
void add_required(const matrix::AbiClass& cls, const matrix::VariantIndex& selected,
                  Ids& required) {
  for (const auto& [member, siblings] : cls.siblings) {
    if (selected.contains(member)) required.insert(siblings.begin(), siblings.end());
  }
}

/// Those of `variants` that are selected.
std::vector<std::string> some_of(const std::vector<std::string>& variants,
                                 const matrix::VariantIndex& selected) {
  std::vector<std::string> some;
  for (const std::string& variant : variants) {
    if (selected.contains(variant)) some.push_back(variant);
  }
  return some;
}

/// The values of a variant on all axes except `package`.
std::vector<std::string> combination_of(const matrix::VariantIndex& index, const std::string& id) {
  std::vector<std::string> values;
  const Result<const matrix::Variant*> variant = index.find(id);
  if (!variant) return values;
  for (const auto& [axis, value] : (*variant)->axes) {
    if (axis != matrix::kPackageAxis) values.push_back(value);
  }
  return values;
}

/// The member of a class with the combination of a variant of another package; else the first one.
std::string_view counterpart(const matrix::AbiClass& cls, const std::string& variant,
                             const matrix::VariantIndex& index) {
  const std::vector<std::string> wanted = combination_of(index, variant);
  const auto found = std::ranges::find_if(cls.members, [&](const std::string& member) {
    return combination_of(index, member) == wanted;
  });
  return found == cls.members.end() ? cls.members.front() : *found;
}

}  // namespace

Outline make_outline(const std::vector<matrix::AbiClass>& classes,
                     std::vector<matrix::Variant> selected) {
  Outline outline{std::move(selected), {}};
  const matrix::VariantIndex wanted(outline.variants);
  Ids required;
  for (const matrix::AbiClass& cls : classes) add_required(cls, wanted, required);
  outline.builds.reserve(classes.size());
  for (const matrix::AbiClass& cls : classes) {
    std::vector<std::string> tests = some_of(cls.members, wanted);
    if (tests.empty() && !required.contains(cls.id)) continue;
    outline.builds.push_back({cls, std::move(tests)});
  }
  return outline;
}

std::vector<std::string> sibling_builds(const matrix::AbiClass& cls, const std::string& variant) {
  std::vector<std::string> builds;
  const auto siblings = cls.siblings.find(variant);
  if (siblings == cls.siblings.end()) return builds;
  for (const std::string& sibling : siblings->second) builds.push_back(build_id(sibling));
  return builds;
}

Outline part_of(const Outline& outline, const std::vector<matrix::Variant>& variants) {
  const matrix::VariantIndex wanted(variants);
  Ids required;
  for (const BuildGroup& group : outline.builds) add_required(group.cls, wanted, required);
  Outline part{variants, {}};
  part.builds.reserve(outline.builds.size());
  for (const BuildGroup& group : outline.builds) {
    std::vector<std::string> tests = some_of(group.tests, wanted);
    if (tests.empty() && !required.contains(group.cls.id)) continue;
    part.builds.push_back({group.cls, std::move(tests)});
  }
  return part;
}

Outline with_tested_siblings(Outline outline, const std::vector<matrix::AbiClass>& classes,
                             const std::vector<matrix::Variant>& variants) {
  if (std::ranges::none_of(outline.builds, has_siblings)) return outline;
  std::unordered_map<std::string_view, const matrix::AbiClass*> by_id;
  for (const matrix::AbiClass& cls : classes) by_id[cls.id] = &cls;
  const matrix::VariantIndex index(variants);
  Ids tested = ids_of(outline.variants);
  for (const BuildGroup& group : outline.builds) {
    for (const std::string& test : group.tests) {
      const auto siblings = group.cls.siblings.find(test);
      if (siblings == group.cls.siblings.end()) continue;
      for (const std::string& sibling : siblings->second) {
        tested.insert(counterpart(*by_id.at(sibling), test, index));
      }
    }
  }
  if (tested.size() == outline.variants.size()) return outline;
  std::vector<matrix::Variant> selected;
  std::ranges::copy_if(variants, std::back_inserter(selected),
                       [&tested](const auto& variant) { return tested.contains(variant.id); });
  return make_outline(classes, selected);
}

std::unordered_map<std::string, std::string> builds_by_variant(const Outline& outline) {
  std::unordered_map<std::string, std::string> build_of;
  for (const BuildGroup& group : outline.builds) {
    for (const std::string& test : group.tests) build_of[test] = build_id(group.cls.id);
  }
  return build_of;
}

const BuildGroup* sdist_build(const Outline& outline, std::string_view package) {
  const auto found = std::ranges::find_if(
      outline.builds, [package](const BuildGroup& group) { return group.cls.package == package; });
  return found == outline.builds.end() ? nullptr : &*found;
}

std::string summary_line(const Outline& outline) {
  return fmt::format("{}, {}, {}", plural(outline.variants.size(), "variant"),
                     plural(outline.builds.size(), "build"),
                     plural(outline.variants.size(), "test"));
}

}  // namespace pinwheel::plan
