#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace pinwheel::matrix {

/// YAML as plain data with source locations, independent of yaml-cpp. Scalars keep their spelling
/// ("3.10" stays "3.10"); `quoted` distinguishes a string from a YAML number or boolean.
struct Node {
  enum class Type { null, scalar, sequence, mapping };
  struct Member;

  Type type = Type::null;
  std::string scalar;
  bool quoted = false;
  std::vector<Node> items;      ///< of a sequence
  std::vector<Member> members;  ///< of a mapping, in the order of the file
  Location at;

  /// The value of a mapping's key; nullptr when the key is absent.
  const Node* find(std::string_view key) const;
};

struct Node::Member {
  std::string key;
  Location key_at;
  Node value;
};

inline const Node* Node::find(std::string_view key) const {
  for (const Member& member : members) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

}  // namespace pinwheel::matrix
