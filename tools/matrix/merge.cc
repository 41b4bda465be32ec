#include "matrix/merge.h"

#include <algorithm>
#include <utility>

#include "matrix/condition.h"

namespace pinwheel::matrix {
namespace {

Node::Member* find_member(Node& mapping, std::string_view key) {
  for (Node::Member& member : mapping.members) {
    if (member.key == key) return &member;
  }
  return nullptr;
}

void append(Node& base, const Node::Member& member) {
  const std::string key = member.key.substr(1);
  if (Node::Member* const list = find_member(base, key)) {
    list->value.items.insert(list->value.items.end(), member.value.items.begin(),
                             member.value.items.end());
    return;
  }
  base.members.push_back({key, member.key_at, member.value});
}

}  // namespace

Node merged(Node base, const Node& patch) {
  if (base.type != Node::Type::mapping || patch.type != Node::Type::mapping) return patch;
  for (const Node::Member& member : patch.members) {
    if (member.key.starts_with('+')) {
      append(base, member);
    } else if (Node::Member* const old = find_member(base, member.key)) {
      old->value = merged(std::move(old->value), member.value);
    } else {
      // Merge into an empty node of the same type, so that a `+key` in a new mapping loses its `+`.
      Node fresh;
      fresh.type = member.value.type;
      fresh.at = member.value.at;
      base.members.push_back({member.key, member.key_at, merged(std::move(fresh), member.value)});
    }
  }
  return base;
}

Node sections_for(const Matrix& matrix, const Variant& variant) {
  Node sections = matrix.sections;
  for (const Matrix::Override& override : matrix.overrides) {
    if (matches(override.when, variant)) sections = merged(std::move(sections), override.patch);
  }
  return sections;
}

const Node* pick(const Node* node, const Variant& variant) {
  if (node == nullptr || node->type != Node::Type::mapping) return node;
  for (const Node::Member& member : node->members) {
    const bool fits = std::any_of(variant.axes.begin(), variant.axes.end(), [&](const auto& axis) {
      return value_matches(member.key, axis.second);
    });
    if (member.key != "default" && fits) return &member.value;
  }
  return node->find("default");
}

}  // namespace pinwheel::matrix
