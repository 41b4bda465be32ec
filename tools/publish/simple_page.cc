#include "publish/simple_page.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/url.h"
#include "publish/html.h"

namespace pinwheel::publish {

namespace {

using Json = nlohmann::json;

Error damaged(std::string_view what) {
  return Error{ErrorKind::publish,
               fmt::format("the index's page {}", what),
               std::nullopt,
               "check the index URL, see --check-url",
               {}};
}

std::string text_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// PEP 691 and 714: `core-metadata` and its older name are a boolean or hashes.
std::string metadata_hash(const Json& file) {
  for (const char* key : {"core-metadata", "dist-info-metadata"}) {
    const auto found = file.find(key);
    if (found != file.end() && found->is_object()) return to_lower(text_of(*found, "sha256"));
  }
  return {};
}

IndexFile file_of(const Json& object) {
  IndexFile file{text_of(object, "filename"), text_of(object, "url")};
  file.url = file.url.substr(0, file.url.find('#'));
  const auto hashes = object.find("hashes");
  if (hashes != object.end() && hashes->is_object()) {
    for (const auto& [algorithm, digest] : hashes->items()) {
      if (digest.is_string()) file.hashes[algorithm] = to_lower(digest.get<std::string>());
    }
  }
  const auto size = object.find("size");
  if (size != object.end() && size->is_number_unsigned()) file.size = size->get<uint64_t>();
  file.requires_python = text_of(object, "requires-python");
  file.metadata_sha256 = metadata_hash(object);
  file.upload_time = text_of(object, "upload-time");
  return file;
}

/// The list `key` of a JSON page, whose major version must be 1.
Result<Json> list_of(std::string_view body, const char* key) {
  const Json page = Json::parse(body, nullptr, false);
  if (page.is_discarded() || !page.is_object()) return fail(damaged("is not JSON"));
  const auto meta = page.find("meta");
  const std::string version =
      meta != page.end() && meta->is_object() ? text_of(*meta, "api-version") : std::string();
  if (!version.starts_with("1.")) {
    return fail(damaged(fmt::format("has version {}, not 1.x", quoted(version))));
  }
  const auto list = page.find(key);
  if (list == page.end() || !list->is_array()) {
    return fail(damaged(fmt::format("has no list {}", quoted(key))));
  }
  return *list;
}

Result<std::vector<IndexFile>> parse_json(std::string_view body) {
  TRY(const Json list, list_of(body, "files"));
  std::vector<IndexFile> files;
  for (const Json& entry : list) {
    if (!entry.is_object()) return fail(damaged("has a file that is not an object"));
    IndexFile file = file_of(entry);
    if (file.filename.empty()) return fail(damaged("has a file without a name"));
    files.push_back(std::move(file));
  }
  return files;
}

std::string last_segment(std::string_view url) {
  const std::string_view path = url.substr(0, url.find('?'));
  const size_t slash = path.rfind('/');
  return decode_percent(slash == std::string_view::npos ? path : path.substr(slash + 1));
}

std::string attribute(const HtmlTag& tag, const char* name) {
  const auto found = tag.attributes.find(name);
  return found == tag.attributes.end() ? std::string() : found->second;
}

IndexFile file_of(const HtmlTag& tag, const std::string& base) {
  const std::string href = attribute(tag, "href");
  const size_t hash = href.find('#');
  const std::string target = href.substr(0, hash);
  IndexFile file{last_segment(target), base.empty() ? target : resolve_url(base, target)};
  if (hash != std::string::npos) {
    for (const std::string& part : split(href.substr(hash + 1), '&')) {
      const size_t equals = part.find('=');
      if (equals == std::string::npos) continue;
      file.hashes[part.substr(0, equals)] = to_lower(part.substr(equals + 1));
    }
  }
  file.requires_python = attribute(tag, "data-requires-python");
  for (const char* name : {"data-core-metadata", "data-dist-info-metadata"}) {
    const std::string value = attribute(tag, name);
    constexpr std::string_view kPrefix = "sha256=";
    if (file.metadata_sha256.empty() && value.starts_with(kPrefix)) {
      file.metadata_sha256 = to_lower(value.substr(kPrefix.size()));
    }
  }
  return file;
}

std::vector<IndexFile> parse_html(std::string_view body) {
  std::vector<IndexFile> files;
  std::string base;
  for (const HtmlTag& tag : scan_tags(body)) {
    if (tag.name == "base") {
      base = attribute(tag, "href");
    } else if (!attribute(tag, "href").empty()) {
      IndexFile file = file_of(tag, base);
      if (!file.filename.empty()) files.push_back(std::move(file));
    }
  }
  return files;
}

}  // namespace

Result<std::vector<IndexFile>> parse_simple_page(std::string_view content_type,
                                                 std::string_view body) {
  const std::string type = to_lower(content_type.substr(0, content_type.find(';')));
  if (type.find("json") != std::string::npos) return parse_json(body);
  return parse_html(body);
}

Result<std::vector<std::string>> parse_root_json(std::string_view body) {
  TRY(const Json list, list_of(body, "projects"));
  std::vector<std::string> names;
  for (const Json& entry : list) {
    const std::string name = entry.is_object() ? text_of(entry, "name") : std::string();
    if (name.empty()) return fail(damaged("has a project without a name"));
    names.push_back(name);
  }
  return names;
}

}  // namespace pinwheel::publish
