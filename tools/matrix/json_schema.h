#pragma once
#include <string>

namespace pinwheel::matrix {

/// The schema of matrix files as JSON Schema (draft 2020-12) for editors:
/// `matrix/pinwheel.schema.json` is this text. Names that must be declared elsewhere in the file
/// are beyond it; `parse` checks them.
std::string json_schema();

}  // namespace pinwheel::matrix
