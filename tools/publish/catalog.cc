#include "publish/catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "base/digest.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/text.h"
#include "base/url.h"
#include "publish/html.h"
#include "publish/index_file.h"
#include "publish/simple_page.h"

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
                    escape_html(file.metadata_sha256));
  }
  if (!file.upload_time.empty()) {
    attributes += fmt::format(" data-upload-time=\"{}\"", escape_html(file.upload_time));
  }
  if (file.yanked) attributes += fmt::format(" data-yanked=\"{}\"", escape_html(*file.yanked));
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
  if (!file.upload_time.empty()) out["upload-time"] = file.upload_time;
  if (file.yanked)
    out["yanked"] = file.yanked->empty() ? OrderedJson(true) : OrderedJson(*file.yanked);
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

namespace {

std::string page_directory(const std::string& place, const std::string& project) {
  return place.empty() ? project : fmt::format("{}/{}", place, project);
}

/// The digests of the files that are stored in the directory itself, in the format of `sha256sum
/// --check`.
std::string digests_page(const std::string& directory, const ProjectFiles& files) {
  std::string lines;
  for (const auto& [name, file] : files) {
    if (file.home == directory + "/" + name) lines += fmt::format("{}  {}\n", file.sha256, name);
  }
  return lines;
}

const CatalogFile* find(const Catalog& catalog, const std::string& filename) {
  for (const auto& [place, projects] : catalog.places) {
    for (const auto& [project, files] : projects) {
      if (const auto found = files.find(filename); found != files.end()) return &found->second;
    }
  }
  return nullptr;
}

/// The reason of the version's files if all of them are yanked; nullopt also if there are none.
std::optional<std::string> yanked_version(const Catalog& catalog, const Addition& addition) {
  const std::optional<pep::Version> version = version_of_file(addition.filename);
  std::optional<std::string> reason;
  for (const auto& [place, projects] : catalog.places) {
    const auto files = projects.find(addition.project);
    if (files == projects.end()) continue;
    for (const auto& [filename, file] : files->second) {
      if (version_of_file(filename) != version) continue;
      if (!file.yanked) return std::nullopt;
      reason = file.yanked;
    }
  }
  return reason;
}

/// The path from a page to a file, percent-encoded; the URL of a file that is stored elsewhere.
std::string link_to(const std::string& from_directory, const std::string& to) {
  if (is_address(to)) return to;
  const std::filesystem::path relative =
      std::filesystem::path(to).lexically_relative(from_directory);
  std::vector<std::string> parts;
  for (const std::filesystem::path& part : relative) parts.push_back(encode_segment(part.string()));
  return join(parts, "/");
}

std::vector<IndexFile> page_files(const std::string& directory, const ProjectFiles& files) {
  std::vector<IndexFile> out;
  for (const auto& [filename, file] : files) {
    out.push_back({filename,
                   link_to(directory, file.home),
                   {{"sha256", file.sha256}},
                   file.size,
                   file.requires_python,
                   file.metadata_sha256,
                   file.upload_time,
                   file.yanked});
  }
  return out;
}

Done check_names(const Catalog& catalog) {
  const auto root = catalog.places.find("");
  if (root == catalog.places.end()) return {};
  for (const auto& [label, projects] : catalog.places) {
    if (label.empty() || root->second.count(label) == 0) continue;
    return fail(ErrorKind::config,
                fmt::format("{} is the name of both a sub-index and a project", quoted(label)),
                "rename the label");
  }
  return {};
}

/// A variant that the index lists, and its build number.
struct ListedVariant {
  pep::WheelName name;
  const CatalogFile* file = nullptr;
};

/// The wheel variants of a project in all places, whose names have that end.
std::vector<ListedVariant> listed_variants(const Catalog& catalog, const std::string& project,
                                           std::string_view end = ".whl") {
  std::vector<ListedVariant> found;
  for (const auto& [place, projects] : catalog.places) {
    const auto files = projects.find(project);
    if (files == projects.end()) continue;
    for (const auto& [filename, file] : files->second) {
      if (!filename.ends_with(end)) continue;
      auto name = pep::parse_wheel_name(filename);
      if (name && !name->variant.empty()) found.push_back({*std::move(name), &file});
    }
  }
  return found;
}

/// Adds what a wheel variant states.
Done take_variant(Catalog& catalog, const Addition& addition) {
  TRY(const pep::WheelName name, pep::parse_wheel_name(addition.filename));
  std::optional<pep::BuildTag> listed;
  const std::string end = fmt::format("-{}.whl", name.variant);
  for (const ListedVariant& each : listed_variants(catalog, addition.project, end)) {
    if (each.name.version != name.version || each.name.variant != name.variant) continue;
    const pep::BuildTag build = each.name.build.value_or(pep::BuildTag{});
    if (!listed || *listed < build) listed = build;
  }
  return add_variant(catalog.variants[addition.project][pep::to_string(name.version)],
                     {addition.filename, name, *addition.variant}, listed);
}

/// Lists the file in a place; returns false if it is already listed there.
bool list_in(Catalog& catalog, const std::string& place, const Addition& addition,
             const CatalogFile& file) {
  return catalog.places[place][addition.project].emplace(addition.filename, file).second;
}

}  // namespace

Done check_label(const std::string& label) {
  const bool plain =
      label.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789._-") == std::string::npos;
  if (label.empty() || (plain && label.front() != '.')) return {};
  return fail(ErrorKind::config,
              fmt::format("{} is not a valid name for a sub-index", quoted(label)),
              "a label consists of lower-case letters, digits, `.`, `_` and `-`");
}

bool is_listed(const Catalog& catalog, const std::string& filename) {
  for (const auto& [place, projects] : catalog.places) {
    for (const auto& [project, files] : projects) {
      if (files.contains(filename)) return true;
    }
  }
  return false;
}

Result<Merge> add(Catalog catalog, const std::vector<Addition>& additions) {
  Merge merge;
  merge.catalog = std::move(catalog);
  Error conflicts{ErrorKind::publish,
                  "the index has different files under these names",
                  std::nullopt,
                  "a file name is never reused: publish under another version",
                  {}};
  for (const Addition& addition : additions) {
    TRY_DONE(check_label(addition.label));
    for (const std::string& label : addition.also_listed) TRY_DONE(check_label(label));
    const CatalogFile* held = find(merge.catalog, addition.filename);
    if (held != nullptr && held->sha256 != addition.file.sha256) {
      conflicts.causes.push_back(
          conflict_error(addition.filename, addition.file.sha256, held->sha256));
      continue;
    }
    CatalogFile file = held == nullptr ? addition.file : *held;
    if (held == nullptr) {
      if (file.home.empty()) {
        file.home = fmt::format("{}/{}", page_directory(addition.label, addition.project),
                                addition.filename);
      }
      file.yanked = yanked_version(merge.catalog, addition);
    }
    if (addition.variant) TRY_DONE(take_variant(merge.catalog, addition));
    merge.outcomes.push_back(held == nullptr ? Outcome::uploaded : Outcome::identical);
    merge.homes.push_back(file.home);
    if (!addition.label.empty()) {
      merge.changed |= list_in(merge.catalog, addition.label, addition, file);
    }
    if (addition.label.empty() || addition.in_root == InRoot::yes) {
      merge.changed |= list_in(merge.catalog, "", addition, file);
    }
    for (const std::string& label : addition.also_listed) {
      merge.changed |= list_in(merge.catalog, label, addition, file);
    }
  }
  if (!conflicts.causes.empty()) return fail(std::move(conflicts));
  for (const auto& [project, versions] : merge.catalog.variants) {
    for (const auto& [version, all] : versions) TRY_DONE(check_distinct(all));
  }
  TRY_DONE(check_names(merge.catalog));
  return merge;
}

std::set<std::string> homes_of(const Catalog& catalog) {
  std::set<std::string> homes;
  for (const auto& [place, projects] : catalog.places) {
    for (const auto& [project, files] : projects) {
      for (const auto& [filename, file] : files) homes.insert(file.home);
    }
  }
  return homes;
}

std::vector<IndexFile> files_of(const Catalog& catalog, const std::string& project) {
  ProjectFiles all;
  for (const auto& [place, projects] : catalog.places) {
    const auto files = projects.find(project);
    if (files != projects.end()) all.insert(files->second.begin(), files->second.end());
  }
  return page_files("", all);
}

namespace {

/// A file that describes the listed variants of a version.
struct VariantsPage {
  std::string path;  ///< below the directory of the project
  std::string text;
  IndexFile link;
};

/// It counts as uploaded with the first of the wheels, so that an installer that ignores later
/// files still reads it.
VariantsPage variants_page(const pep::WheelName& wheel, const wheel::VariantMetadata& all,
                           const std::string& upload_time) {
  VariantsPage page;
  page.text = wheel::to_string(all);
  const std::string name = variants_file_name(wheel);
  const std::string sha256 = sha256_hex(page.text);
  page.path = fmt::format("variants/{}/{}", sha256, name);
  page.link.filename = name;
  page.link.url = fmt::format("variants/{}/{}", sha256, encode_segment(name));
  page.link.hashes = {{"sha256", sha256}};
  page.link.size = page.text.size();
  page.link.upload_time = upload_time;
  return page;
}

/// The pages for the variants of a project whose wheels are listed, by version; the same in all
/// places.
std::map<std::string, VariantsPage> variants_pages(const Catalog& catalog,
                                                   const std::string& project) {
  std::map<std::string, VariantsPage> pages;
  const auto known = catalog.variants.find(project);
  if (known == catalog.variants.end()) return pages;
  const std::vector<ListedVariant> listed = listed_variants(catalog, project);
  for (const auto& [version, all] : known->second) {
    wheel::VariantMetadata shown = all;
    shown.variants.clear();
    const ListedVariant* first = nullptr;
    for (const ListedVariant& each : listed) {
      const auto variant = all.variants.find(each.name.variant);
      if (pep::to_string(each.name.version) != version || variant == all.variants.end()) continue;
      shown.variants.insert(*variant);
      if (first == nullptr || each.file->upload_time < first->file->upload_time) first = &each;
    }
    if (first == nullptr) continue;
    pages.emplace(version, variants_page(first->name, shown, first->file->upload_time));
  }
  return pages;
}

/// The JSON page of a project with the contents of the variants' files, from which `read_back`
/// reads them. Names that begin with `_` are for an index's own use (PEP 691).
std::string with_variants(const std::string& page,
                          const std::map<std::string, VariantsPage>& variants) {
  if (variants.empty()) return page;
  OrderedJson json = own_json(page);
  for (const auto& [version, each] : variants) {
    json[std::string(kVariantsKey)][version] = own_json(each.text);
  }
  return json.dump(1) + "\n";
}

}  // namespace

std::map<std::string, std::string> pages_of(const Catalog& catalog) {
  std::map<std::string, std::string> pages;
  // A root page without projects still marks the directory as an index.
  std::map<std::string, Projects> places = catalog.places;
  places.try_emplace("");
  for (const auto& [place, projects] : places) {
    std::vector<std::string> names;
    for (const auto& [project, files] : projects) {
      const std::string directory = page_directory(place, project);
      std::vector<IndexFile> listed = page_files(directory, files);
      const std::map<std::string, VariantsPage> variants = variants_pages(catalog, project);
      for (const auto& [version, each] : variants) {
        pages[directory + "/" + each.path] = each.text;
        listed.push_back(each.link);
      }
      pages[directory + "/index.html"] = project_page_html(project, listed);
      pages[directory + "/index.json"] =
          with_variants(project_page_json(project, listed), variants);
      if (std::string digests = digests_page(directory, files); !digests.empty()) {
        pages[directory + "/SHA256SUMS"] = std::move(digests);
      }
      names.push_back(project);
    }
    const std::string prefix = place.empty() ? "" : place + "/";
    pages[prefix + "index.html"] = root_page_html(names);
    pages[prefix + "index.json"] = root_page_json(names);
  }
  return pages;
}

Done check_pages(const std::map<std::string, std::string>& pages) {
  // A bucket adds its generation to each page.
  constexpr uint64_t kGenerationBytes = 100;
  for (const auto& [path, page] : pages) {
    Done fits = check_size(fmt::format("the page {}", quoted(path)), page.size() + kGenerationBytes,
                           limits::kSimplePage);
    if (fits) continue;
    fits.error().kind = ErrorKind::publish;
    fits.error().hint = "remove old versions with `pinwheel index prune`";
    return fits;
  }
  return {};
}

namespace {

/// The inverse of `link_to`; empty for a path outside the index.
std::string home_of(const std::string& directory, const std::string& url) {
  if (is_address(url)) return url;
  const std::filesystem::path home =
      (std::filesystem::path(directory) / decode_percent(url)).lexically_normal();
  const bool outside = home.empty() || *home.begin() == ".." || home.is_absolute();
  return outside ? std::string() : home.generic_string();
}

}  // namespace

Done read_back(Catalog& catalog, const std::string& place, const std::string& project,
               std::string_view json) {
  TRY(const std::vector<IndexFile> files,
      parse_simple_page("application/vnd.pypi.simple.v1+json", json));
  ProjectFiles& held = catalog.places[place][project];
  TRY(VersionVariants variants, parse_page_variants(json));
  for (auto& [version, all] : variants) {
    wheel::VariantMetadata& known = catalog.variants[project][version];
    if (known.variants.empty()) known = std::move(all);
  }
  for (const IndexFile& file : files) {
    if (is_variants_file(file.filename)) continue;
    const auto hash = file.hashes.find("sha256");
    const std::string home = home_of(page_directory(place, project), file.url);
    if (hash == file.hashes.end() || home.empty()) {
      return fail(ErrorKind::publish,
                  fmt::format("{} is not a file of this index", quoted(file.filename)),
                  "only pinwheel may write the index; rebuild it from its wheels");
    }
    held[file.filename] = {home,
                           hash->second,
                           file.size.value_or(0),
                           file.requires_python,
                           file.metadata_sha256,
                           file.upload_time,
                           file.yanked};
  }
  return {};
}

}  // namespace pinwheel::publish
