#pragma once
#include <vector>

#include "report/documentation.h"

namespace pinwheel::report {

/// The documents inside the program: those of the matrix file, its cookbook and the command line.
std::vector<Document> shipped_documents();

}  // namespace pinwheel::report
