#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "publish/index_file.h"

namespace pinwheel::publish {

/// The version of the simple repository API declared by the pages (PEP 629, 700).
inline constexpr std::string_view kSimpleApiVersion = "1.1";

/// The pages of a simple index, for a static file server: HTML5 (PEP 503) and JSON (PEP 691, 700).
/// The caller normalizes names; files and names are sorted, so that the same contents give the same
/// bytes. Each file needs a SHA-256 and a size; its `url` is written verbatim (percent-encoded by
/// the caller, relative to the page).
std::string project_page_html(std::string_view name, std::vector<IndexFile> files);
std::string project_page_json(std::string_view name, std::vector<IndexFile> files);
std::string root_page_html(std::vector<std::string> names);
std::string root_page_json(std::vector<std::string> names);

}  // namespace pinwheel::publish
