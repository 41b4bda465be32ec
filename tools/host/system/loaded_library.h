#pragma once
#include <dlfcn.h>

namespace pinwheel::host {

/// Whether the library that `dlopen` opened has the function.
template <class Function>
bool find_function(void* library, const char* name, Function& function) {
  // POSIX demands that a function's address fits a void pointer.
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

}  // namespace pinwheel::host
