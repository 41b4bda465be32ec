#include "project/version_place.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/text.h"
#include "project/toml_document.h"

namespace pinwheel::project {
namespace {

constexpr const char* kUsualVariable = "__version__";

bool is_dynamic(const toml::table& pyproject) {
  const std::vector<std::string> dynamic = toml_texts(pyproject, "project.dynamic");
  return std::ranges::find(dynamic, "version") != dynamic.end();
}

/// The files that may be the module "pkg.about".
std::vector<std::string> files_of(const std::string& module,
                                  const std::vector<std::string>& roots) {
  const std::string path = replace_all(module, ".", "/");
  std::vector<std::string> files;
  for (const std::string& root : roots) {
    for (const char* const end : {"/__init__.py", ".py"}) {
      std::string file = root;
      if (!file.empty()) file += '/';
      files.push_back(file + path + end);
    }
  }
  return files;
}

std::optional<VersionPlace> of_setuptools(const toml::table& pyproject) {
  const std::vector<std::string> files =
      toml_texts(pyproject, "tool.setuptools.dynamic.version.file");
  if (files.size() == 1) return VersionPlace{files, {}};
  const auto attribute = toml_text(pyproject, "tool.setuptools.dynamic.version.attr");
  if (!attribute) return std::nullopt;
  const size_t dot = attribute->rfind('.');
  if (dot == std::string::npos) return std::nullopt;
  std::vector<std::string> roots = {"src", ""};
  if (const toml::table* const directories = toml_table(pyproject, "tool.setuptools.package-dir")) {
    if (const auto root = (*directories)[""].value<std::string>())
      roots.insert(roots.begin(), *root);
  }
  return VersionPlace{files_of(attribute->substr(0, dot), roots), {attribute->substr(dot + 1)}};
}

std::optional<VersionPlace> of_hatch(const toml::table& pyproject) {
  const auto path = toml_text(pyproject, "tool.hatch.version.path");
  const std::string source = toml_text(pyproject, "tool.hatch.version.source").value_or("regex");
  if (!path || source != "regex" || toml_text(pyproject, "tool.hatch.version.pattern")) {
    return std::nullopt;
  }
  return VersionPlace{{*path}, {kUsualVariable, "VERSION"}};
}

std::optional<VersionPlace> of_pdm(const toml::table& pyproject) {
  const auto path = toml_text(pyproject, "tool.pdm.version.path");
  if (!path || toml_text(pyproject, "tool.pdm.version.source") != "file") return std::nullopt;
  return VersionPlace{{*path}, {kUsualVariable}};
}

std::optional<VersionPlace> of_scikit_build(const toml::table& pyproject) {
  const std::string table = "tool.scikit-build.metadata.version.";
  const auto input = toml_text(pyproject, table + "input");
  const bool reads = toml_text(pyproject, table + "provider") == "scikit_build_core.metadata.regex";
  if (!input || !reads || toml_text(pyproject, table + "regex")) return std::nullopt;
  return VersionPlace{{*input}, {kUsualVariable, "VERSION", "version"}};
}

std::optional<VersionPlace> of_flit(const toml::table& pyproject) {
  const auto backend = toml_text(pyproject, "build-system.build-backend");
  if (!backend || !backend->starts_with("flit_core")) return std::nullopt;
  const auto module = toml_text(pyproject, "tool.flit.module.name");
  const std::string name = toml_text(pyproject, "project.name").value_or("");
  return VersionPlace{files_of(module.value_or(replace_all(name, "-", "_")), {"", "src"}),
                      {kUsualVariable}};
}

/// The text between the quotes that the assigned value begins with.
std::optional<std::string> literal_after(std::string_view line) {
  const size_t equals = line.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  const std::string_view value = trim(line.substr(equals + 1));
  if (value.empty() || (value.front() != '"' && value.front() != '\'')) return std::nullopt;
  const size_t end = value.find(value.front(), 1);
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view rest = trim(value.substr(end + 1));
  if (!rest.empty() && rest.front() != '#') return std::nullopt;
  return std::string(value.substr(1, end - 1));
}

/// Whether the line assigns the variable, with or without a type.
bool assigns(std::string_view line, std::string_view variable) {
  if (!line.starts_with(variable)) return false;
  const std::string_view rest = trim(line.substr(variable.size()));
  return rest.starts_with('=') ? !rest.starts_with("==") : rest.starts_with(':');
}

}  // namespace

std::optional<VersionPlace> version_place(const toml::table& pyproject) {
  if (!is_dynamic(pyproject)) return std::nullopt;
  for (const auto read : {of_setuptools, of_hatch, of_pdm, of_scikit_build, of_flit}) {
    if (std::optional<VersionPlace> place = read(pyproject)) return place;
  }
  return std::nullopt;
}

std::optional<std::string> version_in(std::string_view text, const VersionPlace& place) {
  if (place.variables.empty()) return std::string(trim(text));
  for (const std::string& line : split(text, '\n')) {
    const bool assigned = std::ranges::any_of(
        place.variables, [&line](const std::string& name) { return assigns(line, name); });
    if (assigned) return literal_after(line);
  }
  return std::nullopt;
}

}  // namespace pinwheel::project
