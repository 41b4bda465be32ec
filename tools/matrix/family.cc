#include "matrix/family.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "matrix/config_error.h"
#include "matrix/expand.h"

namespace pinwheel::matrix {
namespace {

/// The member of that name; null for the matrix's `package`.
const FamilyMember* find_member(const Matrix& matrix, std::string_view name) {
  for (const FamilyMember& member : matrix.family) {
    if (member.package.name == name) return &member;
  }
  return nullptr;
}

const Package& package_named(const Matrix& matrix, std::string_view name) {
  const FamilyMember* const member = find_member(matrix, name);
  return member == nullptr ? matrix.package : member->package;
}

/// Identifies the class of a package that serves a variant's combination.
std::string class_key(const Matrix& matrix, const Variant& variant, const std::string& package) {
  const FamilyMember* const member = find_member(matrix, package);
  const Abi& abi = member == nullptr ? matrix.abi : member->abi;
  std::string key = package + "\n";
  for (const auto& [axis, value] : variant.axes) {
    if (axis == kPackageAxis) continue;
    const std::string part = binary_part(abi, axis, value);
    if (!part.empty()) key.append(axis).append(1, '=').append(part).append(1, '\n');
  }
  return key;
}

/// Appends what a package requires, depth first; `path` has the packages on the way there.
void add_required(const Matrix& matrix, const std::string& name, std::vector<std::string>& path,
                  std::vector<std::string>& found) {
  path.push_back(name);
  for (const std::string& sibling : package_named(matrix, name).siblings) {
    const bool known = std::ranges::find(found, sibling) != found.end();
    const bool on_path = std::ranges::find(path, sibling) != path.end();
    if (!known && !on_path) add_required(matrix, sibling, path, found);
    if (std::ranges::find(found, sibling) == found.end()) found.push_back(sibling);
  }
  path.pop_back();
}

}  // namespace

std::vector<const Package*> packages_of(const Matrix& matrix) {
  std::vector<const Package*> packages = {&matrix.package};
  for (const FamilyMember& member : matrix.family) packages.push_back(&member.package);
  return packages;
}

const Package& package_of(const Matrix& matrix, const Variant& variant) {
  if (matrix.family.empty()) return matrix.package;
  return package_named(matrix, variant.get(kPackageAxis));
}

const Abi& abi_of(const Matrix& matrix, const Variant& variant) {
  if (matrix.family.empty()) return matrix.abi;
  const FamilyMember* const member = find_member(matrix, variant.get(kPackageAxis));
  return member == nullptr ? matrix.abi : member->abi;
}

std::vector<std::string> required_packages(const Matrix& matrix, const std::string& name) {
  std::vector<std::string> path;
  std::vector<std::string> found;
  add_required(matrix, name, path, found);
  return found;
}

SiblingClasses::SiblingClasses(const Matrix& matrix, const std::vector<AbiClass>& classes,
                               const std::vector<Variant>& variants)
    : matrix_(matrix) {
  if (matrix.family.empty()) return;
  const VariantIndex index(variants);
  for (const AbiClass& cls : classes) {
    const Result<const Variant*> member = index.find(cls.representative);
    if (member) by_key_[class_key(matrix, **member, package_of(matrix, **member).name)] = cls.id;
  }
}

Result<std::vector<std::string>> SiblingClasses::required_by(const Variant& variant) const {
  const Package& package = package_of(matrix_, variant);
  std::vector<std::string> classes;
  for (const std::string& name : required_packages(matrix_, package.name)) {
    const auto found = by_key_.find(class_key(matrix_, variant, name));
    if (found == by_key_.end()) {
      return fail(config_error(
          fmt::format("{} requires {}, and the matrix has no variant of {} for it",
                      quoted(variant.id), quoted(name), quoted(name)),
          package.at,
          fmt::format("let `exclude` and `rules` remove the combination from {} as well",
                      quoted(package.name))));
    }
    classes.push_back(found->second);
  }
  return classes;
}

}  // namespace pinwheel::matrix
