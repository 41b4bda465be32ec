#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "matrix/axis_value.h"
#include "matrix/config_error.h"
#include "matrix/decode.h"
#include "matrix/gpu_architecture.h"
#include "matrix/template.h"

namespace pinwheel::matrix {
namespace {

/// The node at a path of keys; nullptr when a key is absent.
const Node* find_path(const Node& root, std::initializer_list<std::string_view> path) {
  const Node* node = &root;
  for (const std::string_view key : path) {
    if (node != nullptr) node = node->find(key);
  }
  return node;
}

/// The `{default: ..., glob: ...}` mappings of the four sections.
Done check_values(const Node& sections, const Matrix& matrix) {
  for (const Node* node : {find_path(sections, {"environment", "torch", "spec"}),
                           find_path(sections, {"environment", "torch", "index"}),
                           find_path(sections, {"test", "hardware"})}) {
    if (node != nullptr) TRY_DONE(check_by_value(*node, matrix));
  }
  return {};
}

/// Checks every string below the node as a template; a `command` may also use the plan's
/// placeholders.
Done check_texts(const Node& node, const std::vector<std::string>& names,
                 Placeholders placeholders) {
  if (node.type == Node::Type::scalar) {
    return check_template(node.scalar, names, node.at, placeholders);
  }
  for (const Node& item : node.items) TRY_DONE(check_texts(item, names, placeholders));
  for (const Node::Member& member : node.members) {
    const std::string_view key =
        std::string_view(member.key).substr(member.key.starts_with('+') ? 1 : 0);
    const bool command = key == "command" || key == "without-gpu" || key == "repair";
    TRY_DONE(
        check_texts(member.value, names, command ? Placeholders::variant_and_plan : placeholders));
  }
  return {};
}

/// The families whose builds take architectures; CUDA's without computes.
std::vector<std::string> families_of(const Matrix& matrix) {
  std::vector<std::string> families;
  for (const std::string& value : values_of_axis(matrix, "compute")) {
    if (value != "cpu") families.push_back(split_compute(value).family);
  }
  if (families.empty()) families.emplace_back("cuda");
  return families;
}

/// Checks that an architecture belongs to a compute of the matrix. Whether it is one of the
/// variant's own is checked for each variant.
Done check_arch_list(const Node& build, std::string_view key, const Matrix& matrix) {
  const Node* const list = build.find(key);
  if (list == nullptr) return {};
  const std::vector<std::string> families = families_of(matrix);
  for (const Node& item : list->items) {
    if (item.scalar.find('{') != std::string::npos) continue;
    const auto takes = [&](const std::string& family) {
      return check_architecture(item.scalar, family).has_value();
    };
    if (std::any_of(families.begin(), families.end(), takes)) continue;
    const Done refused = check_architecture(item.scalar, families.front());
    return fail(config_error(refused.error().message, item.at, refused.error().hint));
  }
  return {};
}

Done check_sections(const Node& sections, const Matrix& matrix) {
  TRY_DONE(check_values(sections, matrix));
  if (const Node* const build = sections.find("build")) {
    TRY_DONE(check_arch_list(*build, "arch-list", matrix));
    TRY_DONE(check_arch_list(*build, "+arch-list", matrix));
  }
  return check_texts(sections, names_in(matrix), Placeholders::variant);
}

/// The four sections of a mapping that has other keys too.
Node sections_of(const Node& from) {
  Node sections;
  sections.type = Node::Type::mapping;
  sections.at = from.at;
  for (const Node::Member& member : from.members) {
    const bool is_section = member.key == "environment" || member.key == "build" ||
                            member.key == "checks" || member.key == "test";
    if (is_section) sections.members.push_back(member);
  }
  return sections;
}

}  // namespace

Done decode_sections(const Node& root, Matrix& matrix) {
  matrix.sections = sections_of(root);
  TRY_DONE(check_sections(matrix.sections, matrix));
  const Node* const overrides = root.find("overrides");
  if (overrides == nullptr) return {};
  for (const Node& node : overrides->items) {
    Matrix::Override override;
    override.at = node.at;
    TRY(override.when, decode_when(*node.find("when"), matrix));
    override.patch = sections_of(node);
    if (override.patch.members.empty()) {
      return fail(config_error("the override has no effect", node.at,
                               "add `environment`, `build`, `checks` or `test`"));
    }
    TRY_DONE(check_sections(override.patch, matrix));
    matrix.overrides.push_back(std::move(override));
  }
  return {};
}

}  // namespace pinwheel::matrix
