#include "init/shell_words.h"

#include <array>
#include <string_view>

#include "base/text.h"

namespace pinwheel::init {
namespace {

constexpr std::array<std::string_view, 3> kPlaceholders = {"{project}", "{package}", "{wheel}"};

/// The placeholder that begins at `at`; empty without one.
std::string_view placeholder_at(std::string_view text, size_t at) {
  for (const std::string_view placeholder : kPlaceholders) {
    if (text.substr(at).starts_with(placeholder)) return placeholder;
  }
  return {};
}

std::string with_doubled_braces(std::string_view text) {
  std::string result;
  for (size_t at = 0; at < text.size(); ++at) {
    const std::string_view placeholder = placeholder_at(text, at);
    if (!placeholder.empty()) {
      result += placeholder;
      at += placeholder.size() - 1;
      continue;
    }
    if (text[at] == '{' || text[at] == '}') result += text[at];
    result += text[at];
  }
  return result;
}

}  // namespace

bool needs_shell(const std::string& command) {
  char quote = 0;
  for (size_t at = 0; at < command.size(); ++at) {
    const char c = command[at];
    if (quote != 0) {
      if (c == quote) quote = 0;
      if (quote == '"' && (c == '$' || c == '`')) return true;
      continue;
    }
    if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '{') {
      const std::string_view placeholder = placeholder_at(command, at);
      if (placeholder.empty()) return true;
      at += placeholder.size() - 1;
    } else if (std::string_view("&|;<>()$`*?~#!\n").find(c) != std::string_view::npos) {
      return true;
    }
  }
  // `NAME=VALUE command` sets a variable.
  const std::string first = command.substr(0, command.find(' '));
  return quote != 0 || first.find('=') != std::string::npos;
}

std::vector<std::string> shell_words(const std::string& command) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (size_t at = 0; at < command.size(); ++at) {
    const char c = command[at];
    const bool space = c == ' ' || c == '\t';
    if (quote == 0 && space) {
      if (in_word) words.push_back(word);
      word.clear();
      in_word = false;
      continue;
    }
    in_word = true;
    if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
    } else if (c == quote) {
      quote = 0;
    } else if (c == '\\' && quote != '\'' && at + 1 < command.size()) {
      word += command[++at];
    } else {
      word += c;
    }
  }
  if (in_word) words.push_back(word);
  return words;
}

std::vector<std::string> matrix_command(const std::string& command) {
  const std::string text(trim(command));
  if (needs_shell(text)) return {"sh", "-c", with_doubled_braces(text)};
  std::vector<std::string> words = shell_words(text);
  for (std::string& word : words) word = with_doubled_braces(word);
  return words;
}

}  // namespace pinwheel::init
