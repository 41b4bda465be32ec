#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pinwheel::project {

// Readers of Python source as text: nothing is evaluated, and computed values are not found. Every
// reader takes linear time for any input.

inline constexpr size_t kLongestArgument = 2048;  ///< characters of a name, a tag or a short list
inline constexpr size_t kMostNames = 1000;        ///< entries of one kind from one file

/// The part of the text that can belong to an argument that begins there; its end is not searched
/// for beyond that.
inline std::string_view argument_at(std::string_view code, size_t at) {
  return code.substr(at, kLongestArgument);
}

/// Adds a name that is not in the list yet, up to `kMostNames`.
void add_name(std::vector<std::string>& names, std::string_view name);

/// The code without its comments; strings stay.
std::string without_python_comments(std::string_view code);

/// The keyword arguments of the first call of `function`, as written. Positional arguments and
/// `**` arguments are left out.
std::map<std::string, std::string> keyword_arguments(std::string_view code,
                                                     std::string_view function);

/// The expression that is assigned to a name at the beginning of a line, as written; empty without
/// one.
std::string assigned_to(std::string_view code, std::string_view name);

/// The text of an expression that is a string literal, else nullopt: also for an f-string.
std::optional<std::string> string_literal(std::string_view expression);

/// All string literals in an expression, in order.
std::vector<std::string> string_literals(std::string_view expression);

/// The top-level names of the modules that the code imports, each once.
std::vector<std::string> imported_modules(std::string_view code);

/// Whether the name occurs in the code, not as a part of a longer one.
bool names(std::string_view code, std::string_view name);

}  // namespace pinwheel::project
