#pragma once
#include "matrix/matrix.h"
#include "matrix/node.h"
#include "matrix/variant.h"

namespace pinwheel::matrix {

/// `base` with a patch applied: mappings merge, scalars and lists replace, a key with a leading `+`
/// appends its list to the existing one.
Node merged(Node base, const Node& patch);

/// The sections of the matrix with every matching override applied, in order.
Node sections_for(const Matrix& matrix, const Variant& variant);

/// Resolves a node for a variant: in a mapping of globs on axis values, the first entry that
/// matches a value of the variant, else `default`; any other node is returned as is. nullptr when
/// nothing applies.
const Node* pick(const Node* node, const Variant& variant);

}  // namespace pinwheel::matrix
