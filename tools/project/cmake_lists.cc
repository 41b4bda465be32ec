#include "project/cmake_lists.h"

#include <algorithm>

#include "base/text.h"
#include "project/abi_macros.h"

namespace pinwheel::project {
namespace {

/// A call `name(words...)`; the name in lower case, variables are not expanded.
struct CMakeCall {
  std::string name;
  std::vector<std::string> words;
};

/// The text without comments; bracket comments do not occur around calls.
std::string without_cmake_comments(std::string_view text) {
  std::string code;
  for (const std::string& line : split(text, '\n')) {
    bool in_quotes = false;
    size_t end = 0;
    while (end < line.size() && (in_quotes || line[end] != '#')) {
      if (line[end] == '"' && (end == 0 || line[end - 1] != '\\')) in_quotes = !in_quotes;
      ++end;
    }
    code += line.substr(0, end) + "\n";
  }
  return code;
}

std::vector<std::string> words_in(std::string_view text) {
  std::vector<std::string> words;
  size_t at = 0;
  while ((at = text.find_first_not_of(" \t\r\n;\"", at)) != std::string_view::npos) {
    const size_t end = std::min(text.find_first_of(" \t\r\n;\"", at), text.size());
    words.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

std::vector<CMakeCall> calls_in(std::string_view code) {
  std::vector<CMakeCall> calls;
  for (size_t open = code.find('('); open != std::string_view::npos; open = code.find('(', open)) {
    const std::string_view before = trim(code.substr(0, open));
    const size_t begin = before.find_last_of(" \t\r\n)") + 1;  // npos + 1 is 0
    int depth = 1;
    size_t end = open + 1;
    while (end < code.size() && depth > 0) {
      depth += (code[end] == '(') - (code[end] == ')');
      ++end;
    }
    calls.push_back({to_lower(before.substr(begin)),
                     words_in(code.substr(open + 1, end - std::min(end, open + 2)))});
    open = end;
  }
  return calls;
}

void add_once(std::vector<std::string>& list, const std::string& word) {
  if (std::ranges::find(list, word) == list.end()) list.push_back(word);
}

bool has_word(const CMakeCall& call, std::string_view word) {
  return std::ranges::find(call.words, word) != call.words.end();
}

/// The languages after `LANGUAGES`; without that keyword those after the name, as CMake allows.
std::vector<std::string> languages_of_project(const CMakeCall& call) {
  const std::vector<std::string> keywords = {"VERSION", "DESCRIPTION", "HOMEPAGE_URL",
                                             "COMPAT_VERSION", "SPDX_LICENSE"};
  const auto named = std::ranges::find(call.words, "LANGUAGES");
  std::vector<std::string> languages;
  auto word =
      named == call.words.end() ? call.words.begin() + (call.words.empty() ? 0 : 1) : named + 1;
  for (; word != call.words.end(); ++word) {
    if (std::ranges::find(keywords, *word) != keywords.end()) break;
    languages.push_back(*word);
  }
  return languages;
}

/// The modules of `pkg_check_modules(PREFIX [REQUIRED] ... modules)`.
std::vector<std::string> pkg_config_modules(const CMakeCall& call) {
  std::vector<std::string> modules;
  for (size_t i = 1; i < call.words.size(); ++i) {
    const std::string& word = call.words[i];
    const bool is_option = word == to_lower(word) ? false : word.find('_') != std::string::npos;
    if (word == "REQUIRED" || word == "QUIET" || is_option || word.starts_with("$")) continue;
    modules.push_back(word.substr(0, word.find_first_of("<>=")));
  }
  std::erase_if(modules, [](const std::string& name) { return name.empty() || is_digit(name[0]); });
  return modules;
}

std::string sabi_version(const CMakeCall& call) {
  const auto keyword = std::ranges::find(call.words, "USE_SABI");
  if (keyword == call.words.end() || keyword + 1 == call.words.end()) return {};
  return is_digit((keyword + 1)->front()) ? *(keyword + 1) : std::string();
}

void read_call(const CMakeCall& call, CMakeLists& lists) {
  if (call.name == "project" || call.name == "enable_language") {
    const std::vector<std::string> languages =
        call.name == "project" ? languages_of_project(call) : call.words;
    for (const std::string& language : languages) add_once(lists.languages, language);
    lists.needs_cuda = lists.needs_cuda || (call.name == "project" && has_word(call, "CUDA"));
  }
  if (call.name == "find_package" && !call.words.empty()) add_once(lists.packages, call.words[0]);
  if (call.name == "pkg_check_modules" || call.name == "pkg_search_module") {
    for (const std::string& module : pkg_config_modules(call)) add_once(lists.pkg_config, module);
  }
  const std::vector<std::string> makers = {"pybind11_add_module", "nanobind_add_module",
                                           "python_add_library", "python3_add_library",
                                           "cython_transpile"};
  if (std::ranges::find(makers, call.name) == makers.end()) return;
  lists.python_module = true;
  if (has_word(call, "STABLE_ABI") || has_word(call, "USE_SABI")) lists.stable_abi = true;
  if (lists.stable_abi_version.empty()) lists.stable_abi_version = sabi_version(call);
}

}  // namespace

CMakeLists parse_cmake_lists(std::string_view text) {
  const std::string code = without_cmake_comments(text);
  CMakeLists lists;
  for (const CMakeCall& call : calls_in(code)) read_call(call, lists);
  if (lists.stable_abi_version.empty()) lists.stable_abi_version = limited_api_macro(code);
  lists.torch_target = torch_target_macro(code);
  return lists;
}

CMakeLists merged(CMakeLists first, const CMakeLists& second) {
  for (const std::string& word : second.languages) add_once(first.languages, word);
  for (const std::string& word : second.packages) add_once(first.packages, word);
  for (const std::string& word : second.pkg_config) add_once(first.pkg_config, word);
  first.python_module = first.python_module || second.python_module;
  first.stable_abi = first.stable_abi || second.stable_abi;
  if (first.stable_abi_version.empty()) first.stable_abi_version = second.stable_abi_version;
  if (first.torch_target.empty()) first.torch_target = second.torch_target;
  return first;
}

}  // namespace pinwheel::project
