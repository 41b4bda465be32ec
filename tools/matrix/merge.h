#pragma once
#include "matrix/matrix.h"
#include "matrix/node.h"
#include "matrix/variant.h"

namespace pinwheel::matrix {

/// `base` with a patch laid over it: mappings merge, scalars and lists replace, a key with a
/// leading
/// `+` appends its list to the one that is there.
Node merged(Node base, const Node& patch);

/// The sections of the matrix with every override that matches the variant, in order.
Node sections_for(const Matrix& matrix, const Variant& variant);

/// What a node says for a variant: a mapping of globs on axis values gives the first entry that
/// fits a value of the variant, else its `default`; any other node is itself. nullptr: it says
/// nothing.
const Node* pick(const Node* node, const Variant& variant);

}  // namespace pinwheel::matrix
