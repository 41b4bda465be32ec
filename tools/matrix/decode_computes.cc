#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "matrix/compute_name.h"
#include "matrix/config_error.h"
#include "matrix/decode.h"
#include "matrix/template.h"

namespace pinwheel::matrix {
namespace {

/// `{section: {key: value}}`.
Node nested(std::string_view section, std::string_view key, Node value) {
  const Location at = value.at;
  Node inner;
  inner.type = Node::Type::mapping;
  inner.at = at;
  inner.members.push_back({std::string(key), at, std::move(value)});
  Node outer;
  outer.type = Node::Type::mapping;
  outer.at = at;
  outer.members.push_back({std::string(section), at, std::move(inner)});
  return outer;
}

Done check_label(const Node& label) {
  const auto allowed = [](char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || c == '.'; };
  const std::string& text = label.scalar;
  const bool fits = std::all_of(text.begin(), text.end(), allowed) &&
                    is_alphanumeric(text.front()) && is_alphanumeric(text.back()) &&
                    text.find("..") == std::string::npos;
  if (fits) return {};
  return fail(config_error(
      fmt::format("{} cannot be the label of a compute", quoted(text)), label.at,
      "labels are part of ids and of local versions: `a-z`, `0-9`, and single dots between them"));
}

Result<DeclaredCompute> decode_line(const Node::Member& member) {
  TRY_DONE(check_declared_name(member.key, member.key_at));
  DeclaredCompute line;
  line.name = member.key;
  line.at = member.key_at;
  line.patch.type = Node::Type::mapping;
  line.patch.at = member.key_at;
  if (const Node* const label = member.value.find("label")) {
    TRY_DONE(check_label(*label));
    line.label = label->scalar;
  }
  if (const Node* const hardware = member.value.find("hardware")) {
    line.patch.members.push_back(nested("test", "hardware", *hardware).members[0]);
  }
  if (const Node* const index = member.value.find("index")) {
    Node torch = nested("torch", "index", *index);
    line.patch.members.push_back({"environment", index->at, std::move(torch)});
  }
  return line;
}

bool sets_torch(const Node& sections) {
  const Node* const environment = sections.find("environment");
  const Node* const torch = environment == nullptr ? nullptr : environment->find("torch");
  return torch != nullptr && torch->find("spec") != nullptr;
}

bool has_torch(const Node& root) {
  if (sets_torch(root)) return true;
  const Node* const overrides = root.find("overrides");
  return overrides != nullptr &&
         std::any_of(overrides->items.begin(), overrides->items.end(), sets_torch);
}

Done check_index(const Node& root, const Matrix& matrix, const Node& index) {
  if (!has_torch(root)) {
    return fail(config_error("`index` is the index of torch, which the matrix does not install",
                             index.at, "set `environment.torch.spec`, or remove it"));
  }
  return check_template(index.scalar, names_in(matrix), index.at, Placeholders::variant);
}

/// Rejects equal labels, which ids and names could not tell apart.
Done check_labels(const Matrix& matrix, const std::vector<std::string>& values) {
  std::map<std::string, std::string> taken;
  for (const std::string& value : values) {
    const std::string label = to_lower(full_label_of_compute(matrix.computes, value));
    const auto [other, fresh] = taken.emplace(label, value);
    if (fresh || other->second == value) continue;
    const DeclaredCompute* line = find_declared(matrix.computes, value);
    if (line == nullptr) line = find_declared(matrix.computes, other->second);
    if (line == nullptr) continue;
    return fail(config_error(fmt::format("the computes {} and {} have the same label {}",
                                         quoted(other->second), quoted(value), quoted(label)),
                             line->at, "set another `label`"));
  }
  return {};
}

}  // namespace

Done decode_computes(const Node& root, Matrix& matrix) {
  const Node* const node = root.find("computes");
  if (node == nullptr) return {};
  for (const Node::Member& member : node->members) {
    TRY(DeclaredCompute line, decode_line(member));
    matrix.computes.push_back(std::move(line));
  }
  return {};
}

Done check_computes(const Node& root, const Matrix& matrix) {
  const Node* const node = root.find("computes");
  if (node == nullptr) return {};
  const std::vector<std::string> values = values_of_axis(matrix, "compute");
  for (const Node::Member& member : node->members) {
    const bool used = std::any_of(values.begin(), values.end(), [&](const std::string& value) {
      const DeclaredCompute* const line = find_declared(matrix.computes, value);
      return line != nullptr && line->name == member.key;
    });
    if (!used) {
      return fail(config_error(fmt::format("axis `compute` has no value {}", quoted(member.key)),
                               member.key_at,
                               values.empty() ? "add the axis `compute`, or remove this line"
                                              : suggest(member.key, values)));
    }
    if (const Node* const index = member.value.find("index")) {
      TRY_DONE(check_index(root, matrix, *index));
    }
  }
  return check_labels(matrix, values);
}

}  // namespace pinwheel::matrix
