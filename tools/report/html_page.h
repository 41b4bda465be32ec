#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "report/documentation.h"

namespace pinwheel::report {

/// JSON as the contents of a `<script>` element: ASCII, without `<`, `>` and `&`, which JSON has in
/// strings only, so no text in it ends the element or starts a comment. The value is unchanged.
/// The input is valid JSON; bytes that are not UTF-8 are replaced.
std::string script_json(std::string_view json);

/// The page: one file that needs no network. Its Content Security Policy allows exactly its own
/// script. `parts` are those of `shipped_page_parts`; kind `environment` without them.
Result<std::string> html_page(const std::vector<Document>& parts, std::string_view title,
                              std::string_view json);

}  // namespace pinwheel::report
