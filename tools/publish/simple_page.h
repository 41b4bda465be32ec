#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "publish/index_file.h"
#include "publish/variants_file.h"

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

/// The name of the member of a project's page with the contents of its `*-variants.json` files, by
/// version; only pages of pinwheel have it.
inline constexpr std::string_view kVariantsKey = "_variants";

/// The wheel variants on a project's JSON page. Same errors.
Result<VersionVariants> parse_page_variants(std::string_view body);

/// The project names on a JSON root page. Same errors.
Result<std::vector<std::string>> parse_root_json(std::string_view body);

}  // namespace pinwheel::publish
