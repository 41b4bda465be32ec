#pragma once
#include <dlfcn.h>

namespace pinwheel::host {

/// Looks up a function in a library opened by `dlopen`; false if it is missing.
template <class Function>
bool find_function(void* library, const char* name, Function& function) {
  // POSIX requires that a function's address fits in a void pointer.
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

}  // namespace pinwheel::host
