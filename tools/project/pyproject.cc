#include "project/pyproject.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "project/toml_document.h"

namespace pinwheel::project {
namespace {

/// The value of a key with the wrong type; caught where the file's name is known.
struct WrongType {
  std::string key;
  std::string wanted;
  int line = 0;
};

std::optional<std::string> text_of(const toml::table& table, std::string_view key) {
  const toml::node* const node = table.get(key);
  if (node == nullptr) return std::nullopt;
  const auto text = node->value_exact<std::string>();
  if (!text) {
    throw WrongType{std::string(key), "a string", static_cast<int>(node->source().begin.line)};
  }
  return *text;
}

std::vector<std::string> texts_of(const toml::table& table, std::string_view key) {
  std::vector<std::string> result;
  const toml::node* const node = table.get(key);
  if (node == nullptr) return result;
  const WrongType wrong{std::string(key), "a list of strings",
                        static_cast<int>(node->source().begin.line)};
  if (!node->is_array()) throw wrong;
  for (const toml::node& each : *node->as_array()) {
    const auto text = each.value_exact<std::string>();
    if (!text) throw wrong;
    result.push_back(*text);
  }
  return result;
}

const toml::table* table_of(const toml::table& table, std::string_view key) {
  const toml::node* const node = table.get(key);
  if (node == nullptr) return nullptr;
  if (!node->is_table()) {
    throw WrongType{std::string(key), "a table", static_cast<int>(node->source().begin.line)};
  }
  return node->as_table();
}

BuildSystem build_system_of(const toml::table& table) {
  BuildSystem system;
  if (!table.contains("requires")) {
    throw WrongType{"requires", "a list of strings in `[build-system]` (PEP 518)",
                    static_cast<int>(table.source().begin.line)};
  }
  system.requires_ = texts_of(table, "requires");
  system.backend = text_of(table, "build-backend").value_or(system.backend);
  system.backend_path = texts_of(table, "backend-path");
  return system;
}

Pyproject read(const toml::table& document) {
  Pyproject result;
  if (const toml::table* const system = table_of(document, "build-system")) {
    result.build_system = build_system_of(*system);
  }
  if (const toml::table* const project = table_of(document, "project")) {
    const std::vector<std::string> dynamic = texts_of(*project, "dynamic");
    result.name = text_of(*project, "name").value_or("");
    result.version = text_of(*project, "version");
    result.dynamic_version = std::ranges::find(dynamic, "version") != dynamic.end();
    result.requires_python = text_of(*project, "requires-python");
    result.dependencies = texts_of(*project, "dependencies");
  }
  return result;
}

/// Read only values that name versions: "CMakeLists.txt" would require reading that file.
/// Scikit-build-core reports a wrong type.
std::optional<std::string> cmake_version_of(const toml::table& document) {
  const auto cmake = document["tool"]["scikit-build"]["cmake"];
  if (const auto oldest = cmake["minimum-version"].value_exact<std::string>()) {
    return ">=" + *oldest;
  }
  const auto version = cmake["version"].value_exact<std::string>();
  if (!version || version->find_first_of("<>=~!") != 0) return std::nullopt;
  return *version;
}

bool has_backend_table(const toml::table& document) {
  const auto tool = document["tool"];
  const auto scikit = tool["scikit-build"];
  return tool["hatch"]["build"] || tool["pdm"]["build"] || scikit["metadata"] ||
         scikit["build"]["requires"] || scikit["overrides"];
}

}  // namespace

Result<Pyproject> parse_pyproject(std::string_view text, const std::string& file) {
  TRY(const toml::table document, parse_toml(text, file));
  try {
    Pyproject project = read(document);
    project.cmake_version = cmake_version_of(document);
    project.backend_table = has_backend_table(document);
    return project;
  } catch (const WrongType& wrong) {
    return fail(Error{ErrorKind::config,
                      fmt::format("{} must be {}", quoted(wrong.key), wrong.wanted),
                      Location{file, wrong.line, 0, {}}});
  }
}

Backend backend_of(const BuildSystem& system) {
  constexpr std::array<std::pair<std::string_view, Backend>, 8> kBackends = {
      {{"setuptools", Backend::setuptools},
       {"scikit_build_core", Backend::scikit_build_core},
       {"mesonpy", Backend::meson_python},
       {"maturin", Backend::maturin},
       {"flit_core", Backend::flit},
       {"hatchling", Backend::hatchling},
       {"poetry", Backend::poetry},
       {"pdm", Backend::pdm}}};
  const std::string_view module =
      std::string_view(system.backend).substr(0, system.backend.find_first_of(".:"));
  for (const auto& [name, backend] : kBackends) {
    if (module == name || module == std::string(name) + "_core") return backend;
  }
  return Backend::other;
}

}  // namespace pinwheel::project
