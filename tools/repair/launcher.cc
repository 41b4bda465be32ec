#include "repair/launcher.h"

#include <fmt/format.h>

#include "base/text.h"

namespace pinwheel::repair {
namespace {

/// A literal of Python. Names of members are relative paths, mostly plain ones.
std::string python_literal(std::string_view text) {
  return "\"" + replace_all(replace_all(std::string(text), "\\", "\\\\"), "\"", "\\\"") + "\"";
}

}  // namespace

std::optional<MovedProgram> moved_program(std::string_view member, std::string_view distribution) {
  constexpr std::string_view kScripts = ".data/scripts/";
  const size_t at = member.find(kScripts);
  if (at == std::string_view::npos || member.find('/') != at + kScripts.find('/')) {
    return std::nullopt;
  }
  const std::string_view name = member.substr(at + kScripts.size());
  if (name.empty() || name.find('/') != std::string_view::npos) return std::nullopt;
  return MovedProgram{std::string(member), fmt::format("{}.scripts/{}", distribution, name)};
}

std::string launcher(const MovedProgram& moved) {
  return fmt::format(R"(#!python
import os
import sys

PROGRAM = {}

for place in sys.path:
    program = os.path.join(place, PROGRAM)
    if os.path.isfile(program):
        os.execv(program, sys.argv)
sys.exit(sys.argv[0] + ": " + PROGRAM + " is in no directory of sys.path: reinstall the package")
)",
                     python_literal(moved.program));
}

}  // namespace pinwheel::repair
