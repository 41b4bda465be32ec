#include "repair/sbom.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "pep/name.h"

namespace pinwheel::repair {
namespace {

using Json = nlohmann::ordered_json;

/// purl-spec: everything but letters, digits and `.-_~` is percent-encoded.
std::string encoded(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool plain = is_alphanumeric(c) || c == '.' || c == '-' || c == '_' || c == '~';
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

Json wheel_component(const pep::WheelName& wheel) {
  const std::string name = pep::normalize_name(wheel.distribution);
  const std::string version = pep::to_string(wheel.version);
  const std::string purl = fmt::format("pkg:pypi/{}@{}", encoded(name), encoded(version));
  return {
      {"type", "library"}, {"bom-ref", purl}, {"name", name}, {"version", version}, {"purl", purl}};
}

Json library_component(const Component& component) {
  const bool known = !component.package.name.empty();
  Json json = {{"type", "library"},
               {"bom-ref", component.graft.member},
               {"name", known ? component.package.name : component.graft.needed_as.front()}};
  if (known) {
    json["version"] = component.package.version;
    json["purl"] = package_url(component.package);
  }
  json["hashes"] = {{{"alg", "SHA-256"}, {"content", component.graft.sha256}}};
  json["properties"] = {{{"name", "pinwheel:file"}, {"value", component.graft.member}},
                        {{"name", "pinwheel:source"}, {"value", component.graft.path}}};
  return json;
}

}  // namespace

std::string package_url(const OwnerPackage& package) {
  std::string url = fmt::format("pkg:{}/", package.type);
  if (!package.distribution.empty()) url += encoded(package.distribution) + "/";
  url += fmt::format("{}@{}", encoded(package.name), encoded(package.version));
  if (!package.architecture.empty()) url += "?arch=" + encoded(package.architecture);
  return url;
}

std::string sbom(const pep::WheelName& wheel, const std::vector<Component>& components) {
  const Json main = wheel_component(wheel);
  Json libraries = Json::array();
  Json depends_on = Json::array();
  for (const Component& component : components) {
    libraries.push_back(library_component(component));
    depends_on.push_back(component.graft.member);
  }
  const Json document = {
      {"$schema", "http://cyclonedx.org/schema/bom-1.6.schema.json"},
      {"bomFormat", "CycloneDX"},
      {"specVersion", "1.6"},
      {"version", 1},
      {"metadata",
       {{"tools", {{"components", {{{"type", "application"}, {"name", "pinwheel"}}}}}},
        {"component", main}}},
      {"components", libraries},
      {"dependencies", {{{"ref", main["bom-ref"]}, {"dependsOn", depends_on}}}}};
  return document.dump(2) + "\n";
}

}  // namespace pinwheel::repair
