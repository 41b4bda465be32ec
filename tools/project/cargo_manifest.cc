#include "project/cargo_manifest.h"

#include <algorithm>
#include <set>

#include "project/toml_document.h"

namespace pinwheel::project {
namespace {

/// The enabled features and the features that these enable: "pyo3/abi3-py310" is a feature of pyo3.
std::set<std::string> active_features(const toml::table& document,
                                      const std::vector<std::string>& asked) {
  std::set<std::string> active;
  std::vector<std::string> waiting = asked;
  waiting.emplace_back("default");
  while (!waiting.empty()) {
    const std::string feature = waiting.back();
    waiting.pop_back();
    if (!active.insert(feature).second) continue;
    const toml::table* const features = toml_table(document, "features");
    if (features == nullptr || !features->contains(feature)) continue;
    const std::vector<std::string> more = toml_texts(*features, feature);
    waiting.insert(waiting.end(), more.begin(), more.end());
  }
  return active;
}

/// Crates named `NAME-sys` bind to a library of the system.
std::vector<std::string> bound_libraries(const toml::table& document) {
  constexpr std::string_view kSuffix = "-sys";
  std::vector<std::string> libraries;
  for (const std::string_view place : {"dependencies", "workspace.dependencies"}) {
    const toml::table* const crates = toml_table(document, place);
    if (crates == nullptr) continue;
    for (const auto& [key, value] : *crates) {
      const std::string name(key.str());
      if (name.ends_with(kSuffix)) {
        libraries.push_back(name.substr(0, name.size() - kSuffix.size()));
      }
    }
  }
  return libraries;
}

}  // namespace

Result<CargoManifest> parse_cargo_manifest(std::string_view text, const std::string& file,
                                           const std::vector<std::string>& features) {
  TRY(const toml::table document, parse_toml(text, file));
  CargoManifest manifest;
  manifest.name = toml_text(document, "package.name").value_or("");
  manifest.version = toml_text(document, "package.version").value_or("");
  manifest.system_libraries = bound_libraries(document);
  for (const std::string place :
       {"dependencies.pyo3", "workspace.dependencies.pyo3", "dependencies.pyo3-ffi"}) {
    if (!document.at_path(place)) continue;
    manifest.pyo3 = true;
    for (std::string& feature : toml_texts(document, place + ".features")) {
      manifest.pyo3_features.push_back(std::move(feature));
    }
  }
  for (const std::string& feature : active_features(document, features)) {
    for (const std::string_view prefix : {"pyo3/", "pyo3?/", "pyo3-ffi/"}) {
      if (feature.starts_with(prefix)) {
        manifest.pyo3_features.push_back(feature.substr(prefix.size()));
      }
    }
  }
  return manifest;
}

}  // namespace pinwheel::project
