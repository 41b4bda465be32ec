#pragma once
#include <vector>

#include "report/documentation.h"

namespace pinwheel::report {

/// The pages of docs/ inside the program, in the order of mkdocs.yml. A page has the name of its
/// file: "matrix", "cli-run".
std::vector<Document> shipped_documents();

/// The parts of the HTML page inside the program by file name: "page.html", "page.css",
/// "licenses.txt", then scripts in the order in which they form one script. Empty in a build
/// without pages.
std::vector<Document> shipped_page_parts();

}  // namespace pinwheel::report
