#include "project/cibuildwheel.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/text.h"
#include "project/toml_document.h"

namespace pinwheel::project {
namespace {

constexpr std::array<std::string_view, 6> kOtherPlatforms = {"macos",   "windows", "ios",
                                                             "android", "pyodide", "macosx"};

bool is_other_platform(std::string_view name) {
  return std::ranges::find(kOtherPlatforms, name) != kOtherPlatforms.end();
}

/// A scalar as it would be written on a command line.
std::string scalar_text(const toml::node& node) {
  if (const auto text = node.value_exact<std::string>()) return *text;
  if (const auto flag = node.value_exact<bool>()) return *flag ? "true" : "false";
  if (const auto number = node.value_exact<int64_t>()) return std::to_string(*number);
  return {};
}

/// Entries of a table; a list gives one entry for each item, which is how `-C` repeats.
std::vector<std::pair<std::string, std::string>> entries_of(const toml::table& table) {
  std::vector<std::pair<std::string, std::string>> entries;
  for (const auto& [key, value] : table) {
    const std::string name(key.str());
    if (const toml::array* const list = value.as_array()) {
      for (const toml::node& each : *list) entries.emplace_back(name, scalar_text(each));
    } else {
      entries.emplace_back(name, scalar_text(value));
    }
  }
  return entries;
}

/// The words of a shell, without their quotes; `$(...)` is one.
std::vector<std::string> assigned_words(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool begun = false;
  char quote = 0;
  int open = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (blank && quote == 0 && open == 0) {
      if (begun) words.push_back(std::exchange(word, {}));
      begun = false;
      continue;
    }
    begun = true;
    if (quote == 0 && c == '(' && i > 0 && text[i - 1] == '$') ++open;
    if (quote == 0 && c == ')' && open > 0) --open;
    if (open == 0 && (c == '"' || c == '\'') && (quote == 0 || quote == c)) {
      quote = quote == 0 ? c : '\0';
    } else if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
      word += text[++i];
    } else {
      word += c;
    }
  }
  if (begun) words.push_back(word);
  return words;
}

/// "A=1 B='two words'"; a word without `=` has no value.
std::vector<std::pair<std::string, std::string>> assignments_in(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> entries;
  for (const std::string& word : assigned_words(text)) {
    const size_t equals = std::min(word.find('='), word.size());
    entries.emplace_back(word.substr(0, equals), word.substr(std::min(equals + 1, word.size())));
  }
  return entries;
}

/// Options that are tables, or strings with assignments.
bool is_table_option(std::string_view option) {
  return option == "environment" || option == "config-settings" || option == "test-environment";
}

CibwValue value_of(const std::string& option, const toml::node& node, const std::string& file) {
  CibwValue value;
  value.file = file;
  const toml::array* const texts = node.as_array();
  if (is_table_option(option) && node.as_table() == nullptr) {
    std::string text = texts == nullptr ? scalar_text(node) : std::string();
    if (texts != nullptr) {
      for (const toml::node& each : *texts) text += scalar_text(each) + " ";
    }
    value.entries = assignments_in(text);
  } else if (const toml::table* const table = node.as_table()) {
    value.entries = entries_of(*table);
  } else if (texts != nullptr) {
    for (const toml::node& each : *texts) value.items.push_back(scalar_text(each));
  } else {
    value.items.push_back(scalar_text(node));
  }
  return value;
}

std::vector<CibwOverride> overrides_of(const toml::table& table) {
  std::vector<CibwOverride> overrides;
  const toml::array* const list = table.at_path("overrides").as_array();
  if (list == nullptr) return overrides;
  for (const toml::node& each : *list) {
    const toml::table* const one = each.as_table();
    if (one == nullptr) continue;
    CibwOverride found;
    for (const std::string& glob : toml_texts(*one, "select")) {
      for (const std::string& word : split(glob, ' ')) {
        if (!word.empty()) found.select.push_back(word);
      }
    }
    for (const auto& [key, value] : *one) {
      if (key.str() != "select" && key.str() != "inherit") {
        found.options.emplace_back(key.str());
      }
    }
    overrides.push_back(std::move(found));
  }
  return overrides;
}

void set_options(const toml::table& table, const std::string& file, Cibuildwheel& config) {
  for (const auto& [key, value] : table) {
    const std::string name(key.str());
    if (name == "overrides" || name == "linux") continue;
    if (is_other_platform(name)) {
      config.other_platforms.push_back(name);
    } else {
      config.options[name] = value_of(name, value, file);
    }
  }
}

/// "test-command" of CIBW_TEST_COMMAND and CIBW_TEST_COMMAND_LINUX; nullopt for other variables.
std::optional<std::string> option_of_variable(std::string_view variable) {
  if (!variable.starts_with("CIBW_")) return std::nullopt;
  std::string name = replace_all(to_lower(variable.substr(5)), "_", "-");
  if (name.ends_with("-linux")) name.resize(name.size() - 6);
  const std::string last = name.substr(name.rfind('-') + 1);
  if (is_other_platform(last)) return std::nullopt;
  // The names of images keep the underscore of their architecture.
  return replace_all(name, "x86-64", "x86_64");
}

}  // namespace

Result<Cibuildwheel> parse_cibuildwheel(std::string_view text, const std::string& file) {
  TRY(const toml::table document, parse_toml(text, file));
  Cibuildwheel config;
  const toml::table* const table = toml_table(document, "tool.cibuildwheel");
  if (table == nullptr) return config;
  set_options(*table, file, config);
  if (const toml::table* const of_linux = toml_table(*table, "linux")) {
    set_options(*of_linux, file, config);
  }
  config.overrides = overrides_of(*table);
  return config;
}

Cibuildwheel with_variables(Cibuildwheel config,
                            const std::vector<std::pair<std::string, std::string>>& variables,
                            const std::string& file) {
  for (const auto& [variable, value] : variables) {
    const std::optional<std::string> option = option_of_variable(variable);
    if (!option) continue;
    CibwValue& found = config.options[*option];
    found = {{}, {}, file};
    const bool is_table = is_table_option(*option);
    if (is_table) found.entries = assignments_in(value);
    if (!is_table) found.items.emplace_back(trim(value));
  }
  return config;
}

std::vector<std::string> words_of_option(const Cibuildwheel& config, const std::string& option) {
  std::vector<std::string> words;
  const auto found = config.options.find(option);
  if (found == config.options.end()) return words;
  for (const std::string& item : found->second.items) {
    for (const std::string& line : split(item, '\n')) {
      for (const std::string& word : split(line, ' ')) {
        if (!trim(word).empty()) words.emplace_back(trim(word));
      }
    }
  }
  return words;
}

}  // namespace pinwheel::project
