#include "compat/demangle.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

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

}  // namespace pinwheel::compat
