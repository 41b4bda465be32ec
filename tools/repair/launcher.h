#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace pinwheel::repair {

/// A program that installers put beside the interpreter, "demo-1.0.data/scripts/tool". From there
/// no relative path to site-packages holds for every Python and every installation, so a repair
/// moves it into site-packages and leaves a Python script that starts it.
struct MovedProgram {
  std::string script;   ///< the member that was the program and becomes the script
  std::string program;  ///< where the program goes: "demo.scripts/tool"

  bool operator==(const MovedProgram&) const = default;
};

/// Where a program of `*.data/scripts` goes; nullopt for any other member.
std::optional<MovedProgram> moved_program(std::string_view member, std::string_view distribution);

/// The script. It needs the standard library alone, looks where this Python looks for modules, and
/// replaces itself by the program.
std::string launcher(const MovedProgram& moved);

}  // namespace pinwheel::repair
