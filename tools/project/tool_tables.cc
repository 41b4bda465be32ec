#include "project/tool_tables.h"

#include <utility>

#include "project/toml_document.h"

namespace pinwheel::project {
namespace {

/// The lists of strings in a table, by key.
std::map<std::string, std::vector<std::string>> lists_in(const toml::table& document,
                                                         std::string_view path) {
  std::map<std::string, std::vector<std::string>> lists;
  const toml::table* const table = toml_table(document, path);
  if (table == nullptr) return lists;
  for (const auto& [key, value] : *table) {
    lists[std::string(key.str())] = toml_texts(*table, std::string(key.str()));
  }
  return lists;
}

std::string build_hook_of(const toml::table& document) {
  for (const std::string_view path :
       {"tool.hatch.build.hooks", "tool.hatch.build.targets.wheel.hooks"}) {
    const toml::table* const hooks = toml_table(document, path);
    if (hooks == nullptr) continue;
    for (const auto& [name, settings] : *hooks) {
      // The hooks that only write a version file.
      if (name.str() != "vcs" && name.str() != "version") return "hatch:" + std::string(name.str());
    }
  }
  if (document.at_path("tool.poetry.build")) return "tool.poetry.build";
  if (toml_flag(document, "tool.pdm.build.run-setuptools")) return "tool.pdm.build.run-setuptools";
  return {};
}

std::vector<std::string> libraries_of_setuptools(const toml::table& document) {
  std::vector<std::string> libraries;
  const toml::array* const modules = document.at_path("tool.setuptools.ext-modules").as_array();
  if (modules == nullptr) return libraries;
  for (const toml::node& each : *modules) {
    const toml::table* const module = each.as_table();
    if (module == nullptr) continue;
    for (std::string& name : toml_texts(*module, "libraries")) libraries.push_back(std::move(name));
    for (const std::string& flag : toml_texts(*module, "extra-link-args")) {
      if (flag.starts_with("-l") && flag.size() > 2) libraries.push_back(flag.substr(2));
    }
  }
  return libraries;
}

bool lists_rust(const toml::table& document) {
  return document.at_path("tool.setuptools-rust.ext-modules").is_array() ||
         document.at_path("tool.setuptools-rust.bins").is_array();
}

}  // namespace

Result<ToolTables> parse_tool_tables(std::string_view text, const std::string& file) {
  TRY(const toml::table document, parse_toml(text, file));
  const auto word = [&document](std::string_view path) {
    return toml_text(document, path).value_or("");
  };
  ToolTables tables;
  tables.classifiers = toml_texts(document, "project.classifiers");
  tables.extras = lists_in(document, "project.optional-dependencies");
  tables.groups = lists_in(document, "dependency-groups");
  tables.scikit_build = read_scikit_build(document);
  tables.meson_limited_api = toml_flag(document, "tool.meson-python.limited-api");
  tables.bdist_py_limited_api = word("tool.distutils.bdist_wheel.py-limited-api");
  tables.setuptools_extensions = document.at_path("tool.setuptools.ext-modules").is_array();
  tables.setuptools_libraries = libraries_of_setuptools(document);
  tables.setuptools_packages = bool(document.at_path("tool.setuptools.packages")) ||
                               bool(document.at_path("tool.setuptools.py-modules"));
  tables.setuptools_rust = lists_rust(document);
  tables.maturin_bindings = word("tool.maturin.bindings");
  tables.maturin_manifest = word("tool.maturin.manifest-path");
  tables.maturin_features = toml_texts(document, "tool.maturin.features");
  tables.poetry_name = word("tool.poetry.name");
  tables.poetry_version = word("tool.poetry.version");
  tables.build_hook = build_hook_of(document);
  tables.version_place = version_place(document);
  return tables;
}

}  // namespace pinwheel::project
