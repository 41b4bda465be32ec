#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pinwheel::project {

// Python source read as text: nothing is evaluated, and what is computed is not found.

/// The code without its comments; strings stay.
std::string without_python_comments(std::string_view code);

/// The keyword arguments of the first call of `function`, as written. Positional arguments and
/// `**` arguments are left out.
std::map<std::string, std::string> keyword_arguments(std::string_view code,
                                                     std::string_view function);

/// What is assigned to a name at the beginning of a line, as written; empty without one.
std::string assigned_to(std::string_view code, std::string_view name);

/// The text of an expression that is a string literal, else nullopt: also for an f-string.
std::optional<std::string> string_literal(std::string_view expression);

/// All string literals in an expression, in order.
std::vector<std::string> string_literals(std::string_view expression);

/// The top-level names of the modules that the code imports, each once.
std::vector<std::string> imported_modules(std::string_view code);

/// Whether the name stands somewhere in the code, not as a part of a longer one.
bool names(std::string_view code, std::string_view name);

}  // namespace pinwheel::project
