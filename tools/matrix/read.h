#pragma once
#include <string>
#include <string_view>

#include "base/result.h"
#include "matrix/node.h"

namespace pinwheel::matrix {

/// Reads one YAML document into a tree in which every node knows its place. Aliases are expanded.
/// Errors of kind `config`, each with its place: invalid YAML, a duplicate key, a key that is no
/// scalar, a merge key (`<<`), an alias of an enclosing node, an empty file, a second document,
/// aliases that expand to more than a hundred thousand nodes. `file` is the path as it was named.
Result<Node> read_yaml(std::string_view text, const std::string& file);

}  // namespace pinwheel::matrix
