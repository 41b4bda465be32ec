#include "publish/bucket_state.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "base/json.h"
#include "base/limits.h"
#include "base/text.h"
#include "pep/name.h"

namespace pinwheel::publish {
namespace {

constexpr std::string_view kStateSchema = "pinwheel-bucket-index/1";

tl::unexpected<Error> damaged_state(const std::string& why) {
  return fail(
      ErrorKind::publish, fmt::format("the state of the index is damaged: {}", why),
      "only pinwheel may write below `.pinwheel/`; restore an earlier version of the object, "
      "with `complete` set to 0 so that the next publication writes all pages");
}

std::string page_path(const std::string& place, const std::string& project) {
  return (place.empty() ? "" : place + "/") + project + "/index.json";
}

Result<uint64_t> count_in(const nlohmann::json& json, const char* member) {
  if (!json.contains(member) || !json[member].is_number_unsigned()) {
    return damaged_state(fmt::format("{} is not a number", quoted(member)));
  }
  return json[member].get<uint64_t>();
}

/// Reads the projects of a sub-index, or of the root.
Done read_projects(Catalog& catalog, const std::string& place, const nlohmann::json& projects) {
  if (!projects.is_object())
    return damaged_state(fmt::format("{} is not an object", quoted(place)));
  if (!check_label(place)) {
    return damaged_state(fmt::format("{} is not the name of a sub-index", quoted(place)));
  }
  catalog.places[place];
  for (const auto& [project, page] : projects.items()) {
    if (!pep::is_valid_name(project) || pep::normalize_name(project) != project) {
      return damaged_state(fmt::format("{} is not the name of a project", quoted(project)));
    }
    if (Done read = read_back(catalog, place, project, page.dump()); !read) {
      return damaged_state(read.error().message);
    }
  }
  return {};
}

bool is_other_version(const nlohmann::json& json) {
  if (!json.is_object() || !json.contains("schema") || !json["schema"].is_string()) return false;
  const auto& schema = json["schema"].get_ref<const std::string&>();
  return schema.starts_with("pinwheel-bucket-index/") && schema != kStateSchema;
}

}  // namespace

std::string to_json(const BucketState& state) {
  const std::map<std::string, std::string> pages = pages_of(state.catalog);
  nlohmann::json places = nlohmann::json::object();
  for (const auto& [place, projects] : state.catalog.places) {
    places[place] = nlohmann::json::object();
    for (const auto& [project, files] : projects) {
      places[place][project] = parse_json(pages.at(page_path(place, project)));
    }
  }
  nlohmann::json json;
  json["schema"] = kStateSchema;
  json["generation"] = state.generation;
  json["complete"] = state.complete;
  json["places"] = std::move(places);
  return json.dump() + "\n";
}

Result<BucketState> parse_bucket_state(std::string_view text) {
  TRY_DONE(check_size("the state of the index", text.size(), limits::kBucketState));
  const auto json = read_json(text);
  if (is_other_version(json)) {
    return fail(ErrorKind::publish, "the index was written by another version of pinwheel",
                "update pinwheel");
  }
  if (!json.is_object() || json.value("schema", nlohmann::json()) != kStateSchema) {
    return damaged_state(fmt::format("its schema is not {}", quoted(std::string(kStateSchema))));
  }
  BucketState state;
  TRY(state.generation, count_in(json, "generation"));
  TRY(state.complete, count_in(json, "complete"));
  if (state.complete > state.generation) return damaged_state("`complete` is above `generation`");
  if (!json.contains("places") || !json["places"].is_object()) {
    return damaged_state("`places` is not an object");
  }
  for (const auto& [place, projects] : json["places"].items()) {
    TRY_DONE(read_projects(state.catalog, place, projects));
  }
  return state;
}

std::string bucket_home(std::string_view sha256, std::string_view filename) {
  return fmt::format("files/{}/{}", sha256, filename);
}

std::map<std::string, std::string> changed_pages(const Catalog& before, const Catalog& after) {
  const std::map<std::string, std::string> old_pages = pages_of(before);
  std::map<std::string, std::string> pages = pages_of(after);
  std::erase_if(pages, [&old_pages](const auto& page) {
    const auto old = old_pages.find(page.first);
    return old != old_pages.end() && old->second == page.second;
  });
  return pages;
}

std::string with_generation(const std::string& path, const std::string& page, uint64_t generation) {
  if (path.ends_with(".html")) return page + fmt::format("<!-- generation {} -->\n", generation);
  // Its path has the digest of its contents.
  if (is_variants_file(path)) return page;
  nlohmann::ordered_json json = own_json(page);
  json["meta"]["_generation"] = generation;
  return json.dump(1) + "\n";
}

Catalog with_projects_of(const Catalog& before, Catalog after) {
  for (const auto& [place, projects] : before.places) {
    for (const auto& [project, files] : projects) after.places[place][project];
  }
  return after;
}

}  // namespace pinwheel::publish
