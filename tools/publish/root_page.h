#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pinwheel::publish {

/// The names of the directories below an HTML page that it links to, each once, in page order: the
/// projects on the root page of an index (PEP 503), or its sub-indexes. `url` is that of the page.
/// Links that lead elsewhere or are no valid name of a project are ignored. Kind `publish` for a
/// page over the limits of a simple page.
Result<std::vector<std::string>> parse_root_html(std::string_view body, const std::string& url);

}  // namespace pinwheel::publish
