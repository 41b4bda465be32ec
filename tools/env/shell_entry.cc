#include "env/shell_entry.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "base/text.h"

namespace pinwheel::env {
namespace {

constexpr std::array<std::string_view, 3> kOfTerminal = {"TERM", "COLORTERM", "NO_COLOR"};

}  // namespace

std::string shell_settings(const std::string& title) {
  // The directory is expanded each time the prompt is shown, hence the single quotes.
  return fmt::format("PS1={}\nunset HISTFILE\n", shell_quote(fmt::format("[{}] $PWD $ ", title)));
}

std::vector<std::string> interactive_shell(const std::string& settings_file) {
  constexpr const char* kStart =
      R"(command -v bash >/dev/null && exec bash --noprofile --rcfile "$0" -i; )"
      R"(ENV=$0 exec sh -i)";
  return {"sh", "-c", kStart, settings_file};
}

std::map<std::string, std::string> terminal_variables(
    const std::map<std::string, std::string>& user) {
  std::map<std::string, std::string> variables;
  for (const std::string_view name : kOfTerminal) {
    const auto found = user.find(std::string(name));
    if (found != user.end()) variables.insert(*found);
  }
  return variables;
}

}  // namespace pinwheel::env
