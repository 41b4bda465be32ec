#include "matrix/merge.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "matrix/compute_name.h"
#include "matrix/condition.h"

namespace pinwheel::matrix {
namespace {

/// The members of a mapping by key, while members are added.
class Members {
 public:
  explicit Members(Node& mapping) : mapping_(mapping) {
    for (size_t i = 0; i < mapping.members.size(); ++i) places_.emplace(mapping.members[i].key, i);
  }

  Node::Member* find(const std::string& key) {
    const auto found = places_.find(key);
    return found == places_.end() ? nullptr : &mapping_.members[found->second];
  }
  void add(Node::Member member) {
    places_.emplace(member.key, mapping_.members.size());
    mapping_.members.push_back(std::move(member));
  }

 private:
  Node& mapping_;
  std::unordered_map<std::string, size_t> places_;
};

void append(Members& base, const Node::Member& member) {
  const std::string key = member.key.substr(1);
  if (Node::Member* const list = base.find(key)) {
    list->value.items.insert(list->value.items.end(), member.value.items.begin(),
                             member.value.items.end());
    return;
  }
  base.add({key, member.key_at, member.value});
}

}  // namespace

Node merged(Node base, const Node& patch) {
  if (base.type != Node::Type::mapping || patch.type != Node::Type::mapping) return patch;
  Members members(base);
  for (const Node::Member& member : patch.members) {
    if (member.key.starts_with('+')) {
      append(members, member);
    } else if (Node::Member* const old = members.find(member.key)) {
      old->value = merged(std::move(old->value), member.value);
    } else {
      // Merge into an empty node of the same type, so that a `+key` in a new mapping loses its `+`.
      Node fresh;
      fresh.type = member.value.type;
      fresh.at = member.value.at;
      members.add({member.key, member.key_at, merged(std::move(fresh), member.value)});
    }
  }
  return base;
}

Node sections_for(const Matrix& matrix, const Variant& variant) {
  Node sections = matrix.sections;
  const DeclaredCompute* const declared = find_declared(matrix.computes, variant.get("compute"));
  if (declared != nullptr) sections = merged(std::move(sections), declared->patch);
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
