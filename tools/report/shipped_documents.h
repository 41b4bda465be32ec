#pragma once
#include <vector>

#include "report/documentation.h"

namespace pinwheel::report {

/// The pages of docs/ inside the program, in the order of mkdocs.yml. A page has the name of its
/// file: "matrix", "cli-run".
std::vector<Document> shipped_documents();

}  // namespace pinwheel::report
