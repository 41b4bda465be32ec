#include "project/python_text.h"

#include <algorithm>

#include "base/text.h"

namespace pinwheel::project {
namespace {

bool is_word_character(char c) {
  return is_alphanumeric(c) || c == '_';
}

bool is_quote(char c) {
  return c == '"' || c == '\'';
}

/// The position after the closing quote of the string literal that starts at `at`.
size_t end_of_string(std::string_view code, size_t at) {
  const char quote = code[at];
  const std::string_view triple = code.substr(at, 3);
  const bool is_triple = triple.size() == 3 && triple[1] == quote && triple[2] == quote;
  size_t place = at + (is_triple ? 3 : 1);
  while (place < code.size()) {
    if (code[place] == '\\') {
      place += 2;
    } else if (is_triple ? code.substr(place, 3) == triple : code[place] == quote) {
      return place + (is_triple ? 3 : 1);
    } else if (!is_triple && code[place] == '\n') {
      return place;
    } else {
      ++place;
    }
  }
  return code.size();
}

/// The position of the first of `stops` outside brackets and strings, from `at` on.
size_t end_of_expression(std::string_view code, size_t at, std::string_view stops) {
  int depth = 0;
  while (at < code.size()) {
    const char c = code[at];
    if (is_quote(c)) {
      at = end_of_string(code, at);
      continue;
    }
    if (depth == 0 && stops.find(c) != std::string_view::npos) return at;
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (depth < 0) return at;
    ++at;
  }
  return code.size();
}

size_t find_word(std::string_view code, std::string_view word, size_t from) {
  for (size_t at = code.find(word, from); at != std::string_view::npos;
       at = code.find(word, at + 1)) {
    const size_t end = at + word.size();
    const bool begins = at == 0 || !is_word_character(code[at - 1]);
    if (begins && (end == code.size() || !is_word_character(code[end]))) return at;
  }
  return std::string_view::npos;
}

/// The position after the `(` of a call; a definition of the function does not count.
size_t find_call(std::string_view code, std::string_view function) {
  for (size_t at = find_word(code, function, 0); at != std::string_view::npos;
       at = find_word(code, function, at + 1)) {
    const size_t open = code.find_first_not_of(" \t", at + function.size());
    if (open == std::string_view::npos || code[open] != '(') continue;
    const size_t before = code.find_last_not_of(" \t\r\n", at == 0 ? 0 : at - 1);
    const bool defined =
        at > 0 && before != std::string_view::npos && code.substr(0, before + 1).ends_with("def");
    if (!defined) return open + 1;
  }
  return std::string_view::npos;
}

}  // namespace

void add_name(std::vector<std::string>& names, std::string_view name) {
  const bool full = names.size() >= kMostNames;
  if (!full && std::ranges::find(names, name) == names.end()) names.emplace_back(name);
}

std::string without_python_comments(std::string_view code) {
  std::string result;
  size_t at = 0;
  while (at < code.size()) {
    if (is_quote(code[at])) {
      const size_t end = end_of_string(code, at);
      result += code.substr(at, end - at);
      at = end;
    } else if (code[at] == '#') {
      at = std::min(code.find('\n', at), code.size());
    } else {
      result += code[at++];
    }
  }
  return result;
}

std::map<std::string, std::string> keyword_arguments(std::string_view code,
                                                     std::string_view function) {
  std::map<std::string, std::string> arguments;
  size_t at = find_call(code, function);
  while (at < code.size()) {
    const size_t end = end_of_expression(code, at, ",");
    const std::string_view argument = trim(code.substr(at, end - at));
    const size_t name = static_cast<size_t>(
        std::find_if_not(argument.begin(), argument.end(), is_word_character) - argument.begin());
    const std::string_view rest = trim(argument.substr(name));
    if (name > 0 && rest.starts_with('=') && !rest.starts_with("==")) {
      arguments.emplace(argument.substr(0, name), trim(rest.substr(1)));
    }
    if (end >= code.size() || code[end] != ',') break;
    at = end + 1;
  }
  return arguments;
}

std::string assigned_to(std::string_view code, std::string_view name) {
  for (size_t at = find_word(code, name, 0); at != std::string_view::npos;
       at = find_word(code, name, at + 1)) {
    const std::string_view rest = code.substr(at + name.size());
    const size_t equals = rest.find_first_not_of(" \t");
    const bool line_begins = at == 0 || code[at - 1] == '\n';
    if (!line_begins || equals == std::string_view::npos || rest[equals] != '=') continue;
    if (rest.substr(equals).starts_with("==")) continue;
    const size_t end = end_of_expression(rest, equals + 1, "\n;");
    return std::string(trim(rest.substr(equals + 1, end - equals - 1)));
  }
  return {};
}

std::optional<std::string> string_literal(std::string_view expression) {
  expression = trim(expression);
  if (expression.starts_with('r') || expression.starts_with('u')) expression.remove_prefix(1);
  if (expression.empty() || !is_quote(expression[0])) return std::nullopt;
  if (end_of_string(expression, 0) != expression.size()) return std::nullopt;
  const std::vector<std::string> found = string_literals(expression);
  return found.empty() ? std::nullopt : std::optional(found.front());
}

std::vector<std::string> string_literals(std::string_view expression) {
  std::vector<std::string> found;
  size_t at = 0;
  while (at < expression.size()) {
    if (!is_quote(expression[at])) {
      ++at;
      continue;
    }
    const size_t end = end_of_string(expression, at);
    const std::string_view literal = expression.substr(at, end - at);
    const size_t quotes = literal.size() >= 6 && literal[1] == literal[0] ? 3 : 1;
    if (literal.size() >= 2 * quotes) {
      found.emplace_back(literal.substr(quotes, literal.size() - 2 * quotes));
    }
    at = end;
  }
  return found;
}

std::vector<std::string> imported_modules(std::string_view code) {
  std::vector<std::string> modules;
  for (const std::string& raw : split(code, '\n')) {
    std::string_view line = trim(raw);
    const bool from = line.starts_with("from ");
    if (!from && !line.starts_with("import ")) continue;
    line.remove_prefix(from ? 5 : 7);
    for (const std::string& part : split(from ? line.substr(0, line.find(" import")) : line, ',')) {
      const std::string_view module = trim(part);
      const std::string name(module.substr(0, module.find_first_of(". \t")));
      if (!name.empty()) add_name(modules, name);
    }
  }
  return modules;
}

bool names(std::string_view code, std::string_view name) {
  return find_word(code, name, 0) != std::string_view::npos;
}

}  // namespace pinwheel::project
