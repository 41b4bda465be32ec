#include "publish/index_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/url.h"
#include "publish/file_version.h"
#include "publish/html.h"

namespace pinwheel::publish {

namespace {

using OrderedJson = nlohmann::ordered_json;

void sort_files(std::vector<IndexFile>& files) {
  std::sort(files.begin(), files.end(),
            [](const IndexFile& a, const IndexFile& b) { return a.filename < b.filename; });
}

void sort_names(std::vector<std::string>& names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
}

std::string page_html(std::string_view title, std::string_view lines) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"pypi:repository-version\" content=\"{}\">\n<title>{}</title>\n</head>\n"
      "<body>\n<h1>{}</h1>\n{}</body>\n</html>\n",
      kSimpleApiVersion, escape_html(title), escape_html(title), lines);
}

std::string link_html(const IndexFile& file) {
  std::string href = file.url;
  if (const auto found = file.hashes.find("sha256"); found != file.hashes.end()) {
    href += "#sha256=" + found->second;
  }
  std::string attributes = fmt::format("href=\"{}\"", escape_html(href));
  if (!file.requires_python.empty()) {
    attributes += fmt::format(" data-requires-python=\"{}\"", escape_html(file.requires_python));
  }
  if (!file.metadata_sha256.empty()) {
    attributes +=
        fmt::format(" data-core-metadata=\"sha256={0}\" data-dist-info-metadata=\"sha256={0}\"",
                    file.metadata_sha256);
  }
  return fmt::format("<a {}>{}</a><br>\n", attributes, escape_html(file.filename));
}

OrderedJson file_json(const IndexFile& file) {
  OrderedJson out;
  out["filename"] = file.filename;
  out["url"] = file.url;
  out["hashes"] = OrderedJson(file.hashes);
  if (!file.requires_python.empty()) out["requires-python"] = file.requires_python;
  if (!file.metadata_sha256.empty()) {
    out["core-metadata"] = OrderedJson{{"sha256", file.metadata_sha256}};
    out["dist-info-metadata"] = OrderedJson{{"sha256", file.metadata_sha256}};
  }
  if (file.size) out["size"] = *file.size;
  return out;
}

}  // namespace

std::string project_page_html(std::string_view name, std::vector<IndexFile> files) {
  sort_files(files);
  std::string lines;
  for (const IndexFile& file : files) lines += link_html(file);
  return page_html(fmt::format("Links for {}", name), lines);
}

std::string project_page_json(std::string_view name, std::vector<IndexFile> files) {
  sort_files(files);
  std::set<std::string> versions;
  OrderedJson list = OrderedJson::array();
  for (const IndexFile& file : files) {
    if (const auto version = version_of_file(file.filename)) {
      versions.insert(pep::to_string(*version));
    }
    list.push_back(file_json(file));
  }
  OrderedJson page;
  page["meta"] = OrderedJson{{"api-version", kSimpleApiVersion}};
  page["name"] = name;
  page["versions"] = OrderedJson(versions);
  page["files"] = std::move(list);
  return page.dump(1) + "\n";
}

std::string root_page_html(std::vector<std::string> names) {
  sort_names(names);
  std::string lines;
  for (const std::string& name : names) {
    lines += fmt::format("<a href=\"{}/\">{}</a><br>\n", encode_segment(name), escape_html(name));
  }
  return page_html("Simple index", lines);
}

std::string root_page_json(std::vector<std::string> names) {
  sort_names(names);
  OrderedJson list = OrderedJson::array();
  for (const std::string& name : names) list.push_back(OrderedJson{{"name", name}});
  OrderedJson page;
  page["meta"] = OrderedJson{{"api-version", kSimpleApiVersion}};
  page["projects"] = std::move(list);
  return page.dump(1) + "\n";
}

}  // namespace pinwheel::publish
