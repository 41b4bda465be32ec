#include "project/cmake_lists.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/text.h"
#include "project/abi_macros.h"
#include "project/python_text.h"

namespace pinwheel::project {
namespace {

/// A call `name(words...)`; the name in lower case, variables are not expanded.
struct CMakeCall {
  std::string name;
  std::vector<std::string> words;
  bool quoted_end = false;  ///< the last argument is in quotes
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
  size_t last = 0;  // the end of the call before
  for (size_t open = code.find('('); open != std::string_view::npos; open = code.find('(', open)) {
    const std::string_view before = trim(code.substr(last, open - last));
    const size_t begin = before.find_last_of(" \t\r\n)") + 1;  // npos + 1 is 0
    int depth = 1;
    size_t end = open + 1;
    while (end < code.size() && depth > 0) {
      depth += (code[end] == '(') - (code[end] == ')');
      ++end;
    }
    const std::string_view arguments = code.substr(open + 1, end - std::min(end, open + 2));
    calls.push_back(
        {to_lower(before.substr(begin)), words_in(arguments), trim(arguments).ends_with('"')});
    open = end;
    last = end;
  }
  return calls;
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

/// The names in `find_library(VAR [NAMES] name... [PATHS ...])` and `target_link_libraries(TARGET
/// [PRIVATE] name...)`.
std::vector<std::string> linked_names(const CMakeCall& call) {
  std::vector<std::string> linked;
  for (size_t i = 1; i < call.words.size(); ++i) {
    std::string word = call.words[i];
    const bool keyword = word.size() > 1 &&
                         word.find_first_of("abcdefghijklmnopqrstuvwxyz") == std::string::npos &&
                         word.find('_') != 0;
    if (call.name == "find_library" && keyword && word != "NAMES") break;
    if (word.starts_with("-l")) word.erase(0, 2);
    const bool plain = word.find_first_of("$/:<>{}") == std::string::npos && word[0] != '-';
    if (plain && !keyword && !word.empty()) linked.push_back(word);
  }
  return linked;
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
    for (const std::string& language : languages) add_name(lists.languages, language);
  }
  if (call.name == "find_package" && !call.words.empty()) add_name(lists.packages, call.words[0]);
  if (call.name == "pkg_check_modules" || call.name == "pkg_search_module") {
    for (const std::string& module : pkg_config_modules(call)) add_name(lists.pkg_config, module);
  }
  if (call.name == "find_library" || call.name == "target_link_libraries") {
    for (const std::string& name : linked_names(call)) add_name(lists.libraries, name);
  }
  const std::vector<std::string> makers = {"pybind11_add_module", "nanobind_add_module",
                                           "python_add_library", "python3_add_library",
                                           "cython_transpile"};
  if (std::ranges::find(makers, call.name) == makers.end()) return;
  lists.python_module = true;
  if (has_word(call, "STABLE_ABI") || has_word(call, "USE_SABI")) lists.stable_abi = true;
  if (lists.stable_abi_version.empty()) lists.stable_abi_version = sabi_version(call);
}

/// Whether a call names the module's file for the Python that builds it. A word such as
/// `${SKBUILD_SABI_COMPONENT}` may change that.
bool is_for_one_python(const CMakeCall& call) {
  const bool sabi = std::ranges::any_of(call.words, [](const std::string& word) {
    return word.find("SABI") != std::string::npos || word.find("STABLE") != std::string::npos;
  });
  const bool variable = call.words.empty() || call.words[0].find('$') != std::string::npos;
  if (sabi || variable) return false;
  if (call.name == "pybind11_add_module") return !has_word(call, "WITHOUT_SOABI");
  if (call.name == "nanobind_add_module") return true;
  const bool adds = call.name == "python_add_library" || call.name == "python3_add_library";
  return adds && has_word(call, "MODULE") && has_word(call, "WITH_SOABI");
}

using Variables = std::map<std::string, std::string>;

/// A word of `if` that is a constant, or the value of a variable.
Truth constant_truth(const std::string& value) {
  const std::string word = to_lower(value);
  constexpr std::array<std::string_view, 4> kTrue = {"on", "yes", "true", "y"};
  constexpr std::array<std::string_view, 7> kFalse = {"off",    "no",       "false", "n",
                                                      "ignore", "notfound", "0"};
  if (std::ranges::find(kTrue, word) != kTrue.end()) return Truth::yes;
  if (word.empty() || word.ends_with("-notfound")) return Truth::no;
  if (std::ranges::find(kFalse, word) != kFalse.end()) return Truth::no;
  return std::ranges::all_of(word, is_digit) ? Truth::yes : Truth::unknown;
}

Truth operand_truth(const std::string& word, const Variables& variables) {
  const Truth constant = constant_truth(word);
  if (constant != Truth::unknown) return constant;
  const auto found = variables.find(word);
  return found == variables.end() ? Truth::unknown : constant_truth(found->second);
}

/// `[NOT] NAME`, joined by `AND` and `OR`, which CMake evaluates in this order; anything else is
/// unknown.
Truth condition_truth(const std::vector<std::string>& words, const Variables& variables) {
  Truth any = Truth::no;
  Truth all = Truth::yes;
  size_t at = 0;
  while (at < words.size()) {
    const bool negative = words[at] == "NOT";
    if (negative && ++at == words.size()) return Truth::unknown;
    const Truth operand = operand_truth(words[at], variables);
    all = both(all, negative ? negated(operand) : operand);
    if (++at == words.size()) break;
    if (words[at] != "AND" && words[at] != "OR") return Truth::unknown;
    if (words[at++] == "OR") {
      any = one_of(any, all);
      all = Truth::yes;
    }
  }
  return one_of(any, all);
}

/// The branches of the `if`s around a call, and the variables there.
class Branches {
 public:
  explicit Branches(const Variables& defines) : defines_(defines), variables_(defines) {
    for (const char* off : {"WIN32", "MSVC", "APPLE", "MINGW", "CYGWIN", "ANDROID", "IOS"}) {
      variables_.try_emplace(off, "OFF");
    }
    for (const char* on : {"UNIX", "LINUX"}) variables_.try_emplace(on, "ON");
  }

  /// Reads a call that changes a condition or a variable.
  void read(const CMakeCall& call) {
    if (call.name == "if") open_.push_back(opened(condition_truth(call.words, variables_), here()));
    if (open_.empty()) return set(call);
    Branch& last = open_.back();
    if (call.name == "elseif") turn(last, condition_truth(call.words, variables_));
    if (call.name == "else") turn(last, Truth::yes);
    if (call.name == "endif") open_.pop_back();
    set(call);
  }

  /// Whether the current branch is executed.
  Truth here() const {
    return open_.empty() ? Truth::yes : both(open_.back().around, open_.back().now);
  }

 private:
  struct Branch {
    Truth now = Truth::unknown;
    Truth before = Truth::no;   ///< whether an earlier branch ran
    Truth around = Truth::yes;  ///< whether the branches around it run
  };

  static Branch opened(Truth condition, Truth around) { return {condition, condition, around}; }

  static void turn(Branch& branch, Truth condition) {
    branch.now = both(condition, negated(branch.before));
    branch.before = one_of(branch.before, condition);
  }

  void set(const CMakeCall& call) {
    const bool option = call.name == "option";
    if ((call.name != "set" && !option) || call.words.empty() || here() == Truth::no) return;
    const std::string& name = call.words[0];
    const bool cached = option || std::ranges::find(call.words, "CACHE") != call.words.end();
    if (cached && defines_.contains(name)) return;
    std::string value = call.words.size() < 2 ? "" : call.words[1];
    if (option) value = call.quoted_end || call.words.size() < 2 ? "OFF" : call.words.back();
    const bool literal = option || cached || call.words.size() == 2;
    if (here() == Truth::yes && literal && value.find('$') == std::string::npos) {
      variables_[name] = value;
    } else {
      variables_.erase(name);
    }
  }

  const Variables& defines_;
  Variables variables_;
  std::vector<Branch> open_;
};

}  // namespace

CMakeLists parse_cmake_lists(std::string_view text, const Variables& defines) {
  const std::string code = without_cmake_comments(text);
  CMakeLists lists;
  Branches branches(defines);
  std::set<std::string> targets;
  for (const CMakeCall& call : calls_in(code)) {
    branches.read(call);
    if (branches.here() == Truth::no) continue;
    const bool certain = call.name == "project" && branches.here() == Truth::yes;
    lists.needs_cuda = lists.needs_cuda || (certain && has_word(call, "CUDA"));
    read_call(call, lists);
    if (branches.here() == Truth::yes && is_for_one_python(call)) {
      add_name(lists.modules_for_one, call.words[0]);
    }
    const bool makes = call.name == "add_library" || call.name == "add_executable";
    if (makes && !call.words.empty()) targets.insert(call.words[0]);
  }
  std::erase_if(lists.libraries, [&](const auto& name) { return targets.contains(name); });
  if (lists.stable_abi_version.empty()) lists.stable_abi_version = limited_api_macro(code);
  lists.torch_target = torch_target_macro(code);
  return lists;
}

CMakeLists merged(CMakeLists first, const CMakeLists& second) {
  for (const std::string& word : second.languages) add_name(first.languages, word);
  for (const std::string& word : second.packages) add_name(first.packages, word);
  for (const std::string& word : second.libraries) add_name(first.libraries, word);
  for (const std::string& word : second.pkg_config) add_name(first.pkg_config, word);
  for (const std::string& word : second.modules_for_one) add_name(first.modules_for_one, word);
  first.python_module = first.python_module || second.python_module;
  first.stable_abi = first.stable_abi || second.stable_abi;
  if (first.stable_abi_version.empty()) first.stable_abi_version = second.stable_abi_version;
  if (first.torch_target.empty()) first.torch_target = second.torch_target;
  return first;
}

}  // namespace pinwheel::project
