#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace pinwheel::matrix {

/// YAML as plain data with places: what remains of the text after yaml-cpp. Scalars keep their
/// spelling
/// ("3.10" stays "3.10"); `quoted` tells a string from what YAML would read as a number or boolean.
struct Node {
  enum class Type { null, scalar, sequence, mapping };
  struct Member;

  Type type = Type::null;
  std::string scalar;
  bool quoted = false;
  std::vector<Node> items;      ///< of a sequence
  std::vector<Member> members;  ///< of a mapping, in the order of the file
  Location at;

  /// The value of a key of a mapping; nullptr when it has none.
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
