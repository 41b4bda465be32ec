#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "publish/index_file.h"

namespace pinwheel::publish {

/// The Accept header: JSON preferred, HTML as a fallback (PEP 691).
inline constexpr std::string_view kAcceptSimple =
    "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, "
    "text/html;q=0.1";

/// The files on a project's page, in page order. `content_type` selects JSON (PEP 691) or HTML (PEP
/// 503); anything that is not JSON is read as HTML, with the attribute `data-upload-time` of
/// PyTorch's index, which uv reads. A `<base href>` is applied. Kind `publish` when
/// the JSON is malformed, has another major version, or lacks the list of files, and for a page
/// over the limits of a simple page (`base/limits`).
Result<std::vector<IndexFile>> parse_simple_page(std::string_view content_type,
                                                 std::string_view body);

/// The project names on a JSON root page. Same errors.
Result<std::vector<std::string>> parse_root_json(std::string_view body);

}  // namespace pinwheel::publish
