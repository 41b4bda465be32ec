#pragma once
#include <string>

namespace pinwheel::matrix {

/// The schema of matrix files as JSON Schema (draft 2020-12) for editors:
/// `matrix/pinwheel.schema.json` is this text. It cannot check references to names declared
/// elsewhere in the file; `parse` does.
std::string json_schema();

}  // namespace pinwheel::matrix
