#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace pinwheel::repair {

/// A program that installers put next to the interpreter, "demo-1.0.data/scripts/tool". No relative
/// path from there to site-packages is valid for every Python and every installation, so a repair
/// moves the program into site-packages and leaves a Python script that starts it.
struct MovedProgram {
  std::string script;   ///< the member that was the program and becomes the script
  std::string program;  ///< the program's new name: "demo.scripts/tool"

  bool operator==(const MovedProgram&) const = default;
};

/// The new name of a program in `*.data/scripts`; nullopt for any other member.
std::optional<MovedProgram> moved_program(std::string_view member, std::string_view distribution);

/// The script. It needs only the standard library, searches the module path of its Python, and
/// replaces itself with the program.
std::string launcher(const MovedProgram& moved);

}  // namespace pinwheel::repair
