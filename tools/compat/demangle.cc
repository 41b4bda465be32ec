#include "compat/demangle.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <string_view>

namespace pinwheel::compat {

std::string demangle(const std::string& mangled) {
  // Names come from untrusted files, and substitutions can expand a long one without bound.
  constexpr size_t kLongest = 4096;
  if (!mangled.starts_with("_Z") || mangled.size() > kLongest) return mangled;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? std::string(text.get()) : mangled;
}

std::string brief_name(const std::string& name) {
  constexpr size_t kLongest = 80;
  if (name.size() <= kLongest) return name;
  int depth = 0;  // of template arguments, which may contain types of functions
  for (size_t i = 1; i < name.size(); ++i) {
    if (name[i] == '<') ++depth;
    if (name[i] == '>') --depth;
    const bool call_operator =
        name.compare(i, 2, "()") == 0 && std::string_view(name).substr(0, i).ends_with("operator");
    if (name[i] == '(' && depth == 0 && !call_operator) return name.substr(0, i) + "(...)";
  }
  return name;
}

}  // namespace pinwheel::compat
