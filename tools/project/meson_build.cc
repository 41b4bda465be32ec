#include "project/meson_build.h"

#include <algorithm>

#include "base/text.h"
#include "project/python_text.h"

namespace pinwheel::project {
namespace {

/// The literal after `key` and a colon: `limited_api: '3.10'`.
std::string literal_of_key(std::string_view code, std::string_view key) {
  for (size_t at = code.find(key); at != std::string_view::npos; at = code.find(key, at + 1)) {
    const std::string_view rest = trim(argument_at(code, at + key.size()));
    const bool longer = at > 0 && (code[at - 1] == '_' || is_alphanumeric(code[at - 1]));
    if (longer || !rest.starts_with(':')) continue;
    const std::string_view value = trim(rest.substr(1));
    return string_literal(value.substr(0, value.find_first_of(",)\n"))).value_or("");
  }
  return {};
}

std::string_view call_of_project(std::string_view code) {
  const size_t at = code.find("project(");
  if (at == std::string_view::npos) return {};
  const std::string_view rest = code.substr(at);
  return rest.substr(0, rest.find("\n)"));
}

/// The literals that are the first arguments of a call, each once; `call` ends with the bracket.
std::vector<std::string> first_arguments(const std::string& code, std::string_view call) {
  std::vector<std::string> found;
  for (size_t at = code.find(call); at != std::string::npos; at = code.find(call, at + 1)) {
    const bool longer = at > 0 && (code[at - 1] == '_' || is_alphanumeric(code[at - 1]));
    const std::string_view rest = argument_at(code, at + call.size());
    const auto name = string_literal(trim(rest.substr(0, rest.find_first_of(",)"))));
    if (!longer && name) add_name(found, *name);
  }
  return found;
}

void add_missing(std::vector<std::string>& names, const std::vector<std::string>& more) {
  for (const std::string& name : more) add_name(names, name);
}

}  // namespace

MesonBuild parse_meson_build(std::string_view text) {
  // Comments and strings are Python's.
  const std::string code = without_python_comments(text);
  MesonBuild build;
  build.version = literal_of_key(call_of_project(code), "version");
  build.dependencies = first_arguments(code, "dependency(");
  build.libraries = first_arguments(code, "find_library(");
  build.extension = names(code, "extension_module");
  build.limited_api = literal_of_key(code, "limited_api");
  return build;
}

MesonBuild merged(MesonBuild first, const MesonBuild& second) {
  if (first.version.empty()) first.version = second.version;
  add_missing(first.dependencies, second.dependencies);
  add_missing(first.libraries, second.libraries);
  first.extension = first.extension || second.extension;
  if (first.limited_api.empty()) first.limited_api = second.limited_api;
  return first;
}

}  // namespace pinwheel::project
