#include "host/dry_run/script_line.h"

#include <fmt/format.h>

#include "base/text.h"

namespace pinwheel::host {
namespace {

constexpr std::string_view kBegin = "@pinwheel-";
constexpr char kEnd = '@';

/// An index or proxy URL may contain a password: the script takes it from its environment.
bool may_hold_password(std::string_view name) {
  return (name.starts_with("PIP_") && name.ends_with("_URL")) || name.ends_with("_proxy") ||
         name.ends_with("_PROXY");
}

}  // namespace

std::string script_variable(const std::string& name) {
  return fmt::format("{}{}{}", kBegin, name, kEnd);
}

std::string script_word(const std::string& argument) {
  std::string word = shell_quote(argument);
  if (word.find(kBegin) == std::string::npos) return word;
  if (!word.starts_with('\'')) word = "'" + word + "'";
  for (size_t at = word.find(kBegin); at != std::string::npos; at = word.find(kBegin, at)) {
    const size_t end = word.find(kEnd, at + kBegin.size());
    if (end == std::string::npos) break;
    const std::string name = word.substr(at + kBegin.size(), end - at - kBegin.size());
    const std::string outside = fmt::format("'\"${}\"'", name);
    word.replace(at, end + 1 - at, outside);
    at += outside.size();
  }
  return word;
}

std::string script_line(const ports::Command& command) {
  std::string line = "(";
  if (!command.directory.empty()) {
    line += fmt::format("cd {} && ", script_word(command.directory.string()));
  }
  line += "env -i";
  for (const auto& [name, value] : command.environment) {
    line += may_hold_password(name)
                ? fmt::format(" {0}=\"${{{0}-}}\"", name)
                : fmt::format(" {}", script_word(fmt::format("{}={}", name, value)));
  }
  for (const std::string& argument : command.argv) line += " " + script_word(argument);
  return line + ")\n";
}

}  // namespace pinwheel::host
