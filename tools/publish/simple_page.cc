#include "publish/simple_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/json.h"
#include "base/limits.h"
#include "base/text.h"
#include "base/url.h"
#include "publish/html.h"

namespace pinwheel::publish {

namespace {

using Json = nlohmann::json;

constexpr size_t kMostHashes = 16;

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

/// PEP 592 and 691: true, or the reason.
std::optional<std::string> yanked_in(const Json& file) {
  const auto found = file.find("yanked");
  if (found == file.end()) return std::nullopt;
  if (found->is_string()) return found->get<std::string>();
  return found->is_boolean() && found->get<bool>() ? std::optional(std::string()) : std::nullopt;
}

/// null stands for a key that is not there, as on PyPI's pages.
std::vector<std::string> malformed_keys(const Json& file) {
  std::vector<std::string> found;
  const auto check = [&](const char* key, bool (*allowed)(const Json& value)) {
    const auto value = file.find(key);
    if (value != file.end() && !value->is_null() && !allowed(*value)) found.emplace_back(key);
  };
  const auto is_text = [](const Json& value) { return value.is_string(); };
  const auto is_metadata = [](const Json& value) {
    return value.is_boolean() || value.is_object();
  };
  check("url", is_text);
  check("hashes", [](const Json& value) { return value.is_object(); });
  check("size", [](const Json& value) { return value.is_number_unsigned(); });
  check("requires-python", is_text);
  check("upload-time", is_text);
  check("core-metadata", is_metadata);
  check("dist-info-metadata", is_metadata);
  check("yanked", [](const Json& value) {
    return value.is_boolean() ||
           (value.is_string() && !value.get_ref<const std::string&>().empty());
  });
  return found;
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
  file.yanked = yanked_in(object);
  file.malformed = malformed_keys(object);
  return file;
}

/// Reads the list `key` of a JSON page entry by entry: only the known keys of the current entry are
/// stored, however large the page is.
class PageReader {
 public:
  using Take = std::function<Done(const Json& entry)>;
  PageReader(std::string_view key, Take take) : key_(key), take_(std::move(take)) {}

  /// Kind `publish` for a page that is malformed, or whose major version is not 1.
  Done read(std::string_view body) {
    const auto event = [this](int depth, Json::parse_event_t what, Json& value) {
      return on_event(depth, what, value);
    };
    const Json page = Json::parse(body, event, false);
    if (fault_) return fail(*std::move(fault_));
    if (page.is_discarded() || !page.is_object()) return fail(damaged("is not JSON"));
    const auto meta = page.find("meta");
    const std::string version =
        meta != page.end() && meta->is_object() ? text_of(*meta, "api-version") : std::string();
    if (!version.starts_with("1.")) {
      return fail(damaged(fmt::format("has version {}, not 1.x", quoted(version))));
    }
    if (!has_list_) return fail(damaged(fmt::format("has no list {}", quoted(key_))));
    return {};
  }

 private:
  using Event = Json::parse_event_t;

  bool on_event(int depth, Event what, Json& value) {
    if (fault_ || (depth == 0 && what == Event::array_start)) return false;
    if (what == Event::key) return on_key(depth, value.get_ref<const std::string&>());
    if (depth == 1 && top_ == key_ && what == Event::array_start) has_list_ = true;
    const bool entry = depth == kEntry && top_ == key_ && has_list_;
    if (!entry || what == Event::object_start) return !entry || !fault_;
    if (what == Event::object_end) {
      if (Done taken = take_(value); !taken) fault_ = std::move(taken).error();
    } else {
      fault_ = damaged("has an entry that is not an object");
    }
    return false;
  }

  /// Whether the value of the key is stored.
  bool on_key(int depth, const std::string& name) {
    if (depth == 1) {
      top_ = name;
      return name == "meta" || name == key_;
    }
    if (top_ == "meta") return depth == 2 && name == "api-version";
    constexpr int kKey = kEntry + 1;
    if (depth == kKey) {
      inner_ = 0;
      return is_known(name);
    }
    return ++inner_ <= kMostHashes;
  }

  static bool is_known(const std::string& name) {
    constexpr std::array<std::string_view, 10> kKnown = {
        "filename",           "url",         "hashes", "size", "requires-python", "core-metadata",
        "dist-info-metadata", "upload-time", "yanked", "name"};
    return std::find(kKnown.begin(), kKnown.end(), name) != kKnown.end();
  }

  static constexpr int kEntry = 2;

  std::string key_;
  Take take_;
  std::string top_;   ///< the key of the page whose value is read
  size_t inner_ = 0;  ///< keys seen below the current key of an entry
  bool has_list_ = false;
  std::optional<Error> fault_;
};

Error too_many_of(const CountLimit& limit) {
  Error error = too_many("the index's page", limit);
  error.kind = ErrorKind::publish;
  return error;
}

Result<std::vector<IndexFile>> parse_json(std::string_view body) {
  std::vector<IndexFile> files;
  PageReader reader("files", [&files](const Json& entry) -> Done {
    IndexFile file = file_of(entry);
    if (file.filename.empty()) return fail(damaged("has a file without a name"));
    if (files.size() == limits::kSimpleFiles.most) return fail(too_many_of(limits::kSimpleFiles));
    files.push_back(std::move(file));
    return {};
  });
  TRY_DONE(reader.read(body));
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
      if (file.hashes.size() == kMostHashes) break;
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
  file.upload_time = attribute(tag, "data-upload-time");
  if (const auto yanked = tag.attributes.find("data-yanked"); yanked != tag.attributes.end()) {
    file.yanked = yanked->second;
  }
  return file;
}

Result<std::vector<IndexFile>> parse_html(std::string_view body) {
  std::vector<IndexFile> files;
  std::string base;
  Done scanned = scan_tags(body, [&](const HtmlTag& tag) -> Done {
    const std::string href = attribute(tag, "href");
    if (tag.name == "base") {
      base = href;
      return check_size("the base of the page", base.size(), limits::kBaseUrl);
    }
    if (href.empty()) return {};
    IndexFile file = file_of(tag, base);
    if (file.filename.empty()) return {};
    if (files.size() == limits::kSimpleFiles.most) return fail(too_many_of(limits::kSimpleFiles));
    files.push_back(std::move(file));
    return {};
  });
  if (scanned) return files;
  scanned.error().kind = ErrorKind::publish;
  return fail(std::move(scanned).error());
}

}  // namespace

Result<std::vector<IndexFile>> parse_simple_page(std::string_view content_type,
                                                 std::string_view body) {
  if (Done size = check_size("the index's page", body.size(), limits::kSimplePage); !size) {
    size.error().kind = ErrorKind::publish;
    return fail(std::move(size).error());
  }
  const std::string type = to_lower(content_type.substr(0, content_type.find(';')));
  if (type.find("json") != std::string::npos) return parse_json(body);
  return parse_html(body);
}

Result<std::vector<std::string>> parse_root_json(std::string_view body) {
  std::vector<std::string> names;
  PageReader reader("projects", [&names](const Json& entry) -> Done {
    std::string name = text_of(entry, "name");
    if (name.empty()) return fail(damaged("has a project without a name"));
    names.push_back(std::move(name));
    return {};
  });
  TRY_DONE(reader.read(body));
  return names;
}

Result<VersionVariants> parse_page_variants(std::string_view body) {
  VersionVariants variants;
  if (body.find(kVariantsKey) == std::string_view::npos) return variants;
  if (json_levels(body) > limits::kJsonLevels) return fail(damaged("has too many levels"));
  const auto is_wanted = [](int depth, Json::parse_event_t what, Json& value) {
    return depth != 1 || what != Json::parse_event_t::key ||
           value.get_ref<const std::string&>() == kVariantsKey;
  };
  const Json page = Json::parse(body, is_wanted, false);
  if (!page.is_object()) return fail(damaged("is not JSON"));
  const auto found = page.find(std::string(kVariantsKey));
  if (found == page.end()) return variants;
  const Json& all = *found;
  if (!all.is_object()) return fail(damaged("has damaged variants"));
  for (auto version = all.begin(); version != all.end(); ++version) {
    auto metadata = wheel::parse_variant_metadata(version.value().dump());
    if (!metadata) return fail(damaged("has damaged variants").with_cause(metadata.error()));
    variants.emplace(version.key(), *std::move(metadata));
  }
  return variants;
}

}  // namespace pinwheel::publish
