#pragma once
#include <string>
#include <string_view>

#include "base/result.h"
#include "matrix/node.h"

namespace pinwheel::matrix {

/// Parses one YAML document into a tree in which every node has its location. Aliases are expanded.
/// Errors of kind `config`, each with its location: invalid YAML, a duplicate key, a key that is
/// not a scalar, a merge key (`<<`), an alias of an enclosing node, an empty file, a second
/// document, or more than `matrix/yaml_limits.h` allows, of which memory stays below 200 MB. `file`
/// is the path as given.
Result<Node> read_yaml(std::string_view text, const std::string& file);

}  // namespace pinwheel::matrix
