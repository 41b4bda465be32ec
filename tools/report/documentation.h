#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pinwheel::report {

/// A page in Markdown, with a `# ` title and `## ` sections. The one named "matrix" documents the
/// keys of the matrix file in rows "| `key` | type | default | meaning |".
struct Document {
  std::string name;  ///< "matrix"
  std::string_view text;
};

/// A key of the matrix file, from its row on the page.
struct DocumentedKey {
  std::string name;  ///< "build.arch-list"
  std::string type;
  std::string otherwise;  ///< the default; empty without one
  std::string meaning;
};

/// The text of the page "matrix"; empty without one.
std::string_view matrix_page(const std::vector<Document>& documents);

/// The keys in the order of the page, with the sections that describe a key.
std::vector<DocumentedKey> documented_keys(std::string_view matrix_page);

/// All subjects of `documentation`: pages, sections and keys.
std::vector<std::string> documented_subjects(const std::vector<Document>& documents);

/// The documentation of a subject:
///   - empty: an index of the pages, their sections and the keys;
///   - a page, "cookbook": its text; a section of a page, "cookbook.abi3", "cli-run.build";
///   - a section of the matrix file, "build", or a key, "build.arch-list": its type, default and
///     meaning, and an example.
/// Any other subject is `usage` with the nearest. The tables of the index fit `width` columns, if
/// it is not 0.
Result<std::string> documentation(const std::vector<Document>& documents,
                                  const std::string& subject, size_t width = 0);

/// Markdown for a terminal of `width` columns: prose is wrapped, tables are aligned, and code is
/// unchanged. A width of 0 leaves the text unchanged.
std::string fit_markdown(std::string_view text, size_t width);

}  // namespace pinwheel::report
