#include "publish/release_sbom.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/json.h"
#include "base/text.h"
#include "base/url.h"
#include "pep/name.h"
#include "wheel/metadata.h"

namespace pinwheel::publish {
namespace {

using SbomJson = nlohmann::json;

std::string project_purl(const std::string& name, const std::string& version = "") {
  std::string url = "pkg:pypi/" + encode_segment(pep::normalize_name(name));
  if (!version.empty()) url += "@" + encode_segment(version);
  return url;
}

constexpr std::array<std::string_view, 13> kComponentTypes = {"application",
                                                              "framework",
                                                              "library",
                                                              "container",
                                                              "platform",
                                                              "operating-system",
                                                              "device",
                                                              "device-driver",
                                                              "firmware",
                                                              "file",
                                                              "data",
                                                              "machine-learning-model",
                                                              "cryptographic-asset"};
constexpr std::array<std::string_view, 5> kSbomHashes = {"MD5", "SHA-1", "SHA-256", "SHA-384",
                                                         "SHA-512"};
constexpr std::array<size_t, 5> kHashDigits = {32, 40, 64, 96, 128};
constexpr size_t kNestedComponents = 8;

std::string sbom_text(const SbomJson& json, const char* name) {
  if (!json.is_object() || !json.contains(name) || !json[name].is_string()) return {};
  return json[name].get<std::string>();
}

/// The hashes of a component that have a known algorithm and a value of its length.
SbomJson hashes_in(const SbomJson& component) {
  SbomJson hashes = SbomJson::array();
  for (const SbomJson& each : component.value("hashes", SbomJson::array())) {
    const std::string algorithm = sbom_text(each, "alg");
    const std::string content = sbom_text(each, "content");
    const auto known = std::find(kSbomHashes.begin(), kSbomHashes.end(), algorithm);
    if (known == kSbomHashes.end()) continue;
    const bool hex = content.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos;
    const size_t digits = kHashDigits.at(static_cast<size_t>(known - kSbomHashes.begin()));
    if (hex && content.size() == digits) {
      hashes.push_back({{"alg", algorithm}, {"content", content}});
    }
  }
  return hashes;
}

/// A component with the members that every version of CycloneDX has in the same form, and the
/// components in it. Nullopt if one has no name or an unknown type, or for more than `levels`.
std::optional<SbomJson> copied_component(const SbomJson& component, const std::string& prefix,
                                         size_t levels) {
  SbomJson copy = SbomJson::object();
  for (const char* name : {"type", "name", "version", "purl", "description"}) {
    const std::string text = sbom_text(component, name);
    if (!text.empty()) copy[name] = text;
  }
  const std::string type = copy.value("type", "");
  const bool known =
      std::find(kComponentTypes.begin(), kComponentTypes.end(), type) != kComponentTypes.end();
  if (!known || !copy.contains("name")) return {};
  const std::string reference = sbom_text(component, "bom-ref");
  if (!reference.empty()) copy["bom-ref"] = prefix + reference;
  if (SbomJson hashes = hashes_in(component); !hashes.empty()) copy["hashes"] = std::move(hashes);
  for (const SbomJson& each : component.value("components", SbomJson::array())) {
    if (levels == 0) return {};
    const std::optional<SbomJson> inner = copied_component(each, prefix, levels - 1);
    if (!inner) return {};
    copy["components"].push_back(*inner);
  }
  return copy;
}

/// The components of a CycloneDX document in a file; nullopt for any other document.
std::optional<SbomJson> components_of(const std::string& filename, const ContainedSbom& sbom) {
  const SbomJson document = read_json(sbom.text);
  if (sbom_text(document, "bomFormat") != "CycloneDX") return {};
  SbomJson components = SbomJson::array();
  for (const SbomJson& each : document.value("components", SbomJson::array())) {
    const std::string prefix = fmt::format("{}/{}#", filename, sbom.member);
    const std::optional<SbomJson> copy = copied_component(each, prefix, kNestedComponents);
    if (!copy) return {};
    components.push_back(*copy);
  }
  return components;
}

SbomJson property(const char* name, const std::string& value) {
  return {{"name", name}, {"value", value}};
}

SbomJson component_of(const SbomFile& file) {
  SbomJson component = {
      {"type", "library"},
      {"bom-ref", file.filename},
      {"name", file.name},
      {"version", file.version},
      {"purl", fmt::format("{}?file_name={}", project_purl(file.name, file.version),
                           encode_segment(file.filename))},
      {"hashes", {{{"alg", "SHA-256"}, {"content", file.sha256}}}}};
  SbomJson inner = SbomJson::array();
  SbomJson properties = SbomJson::array();
  for (const ContainedSbom& sbom : file.contained) {
    const std::optional<SbomJson> components = components_of(file.filename, sbom);
    if (components) {
      inner.insert(inner.end(), components->begin(), components->end());
    } else {
      properties.push_back(property("pinwheel:sbom", sbom.member));
    }
  }
  for (const std::string& requirement : file.requirements) {
    properties.push_back(property("pinwheel:requires", requirement));
  }
  if (!inner.empty()) component["components"] = std::move(inner);
  if (!properties.empty()) component["properties"] = std::move(properties);
  return component;
}

/// The projects that a file requires, without those of its extras.
std::set<std::string> required_projects(const SbomFile& file) {
  std::set<std::string> projects;
  for (const std::string& requirement : file.requirements) {
    if (!wheel::is_of_extra(requirement)) projects.insert(wheel::requirement_project(requirement));
  }
  return projects;
}

/// The projects that files require.
SbomJson required_components(const std::vector<SbomFile>& files) {
  std::set<std::string> projects;
  for (const SbomFile& file : files) projects.merge(required_projects(file));
  SbomJson components = SbomJson::array();
  for (const std::string& project : projects) {
    components.push_back({{"type", "library"},
                          {"bom-ref", project_purl(project)},
                          {"name", project},
                          {"purl", project_purl(project)}});
  }
  return components;
}

SbomJson dependencies_of(const std::string& release, const std::vector<SbomFile>& files) {
  SbomJson all = SbomJson::array();
  SbomJson names = SbomJson::array();
  for (const SbomFile& file : files) {
    names.push_back(file.filename);
    SbomJson required = SbomJson::array();
    for (const std::string& project : required_projects(file)) {
      required.push_back(project_purl(project));
    }
    all.push_back({{"ref", file.filename}, {"dependsOn", std::move(required)}});
  }
  all.push_back({{"ref", release}, {"dependsOn", std::move(names)}});
  return all;
}

}  // namespace

Result<SbomFile> sbom_file(const Artifact& file) {
  TRY(const wheel::Metadata metadata, wheel::parse_metadata(file.metadata));
  return SbomFile{file.filename, file.sha256, file.name, file.version, metadata.requires_dist()};
}

std::string release_sbom(const std::string& project, const std::string& version,
                         std::vector<SbomFile> files) {
  std::ranges::sort(files, {}, &SbomFile::filename);
  const std::string release = project_purl(project, version);
  SbomJson components = required_components(files);
  for (const SbomFile& file : files) components.push_back(component_of(file));
  const SbomJson document = {
      {"$schema", "http://cyclonedx.org/schema/bom-1.6.schema.json"},
      {"bomFormat", "CycloneDX"},
      {"specVersion", "1.6"},
      {"version", 1},
      {"metadata",
       {{"tools", {{"components", {{{"type", "application"}, {"name", "pinwheel"}}}}}},
        {"component",
         {{"type", "library"},
          {"bom-ref", release},
          {"name", project},
          {"version", version},
          {"purl", release}}}}},
      {"components", std::move(components)},
      {"dependencies", dependencies_of(release, files)}};
  return document.dump(2, ' ', false, SbomJson::error_handler_t::replace) + "\n";
}

}  // namespace pinwheel::publish
