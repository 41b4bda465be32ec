// Keeps the library loadable on manylinux_2_28 (glibc 2.28, libstdc++ of GCC 8) when it is built
// with a newer compiler. Such a compiler pulls in the symbols below, which those systems lack; each
// gets a hidden definition here, so that the library does not import it. Definitions are weak: a
// compiler that links libstdc++ statically may pull in its own ones as well.

#include <new>
#include <sstream>

#if defined(__GLIBC__) && defined(__GLIBCXX__)

extern "C" {

// GLIBC_2.32, read by shared_ptr's reference counts. 0 means "there may be other threads": always
// correct, uses atomics.
extern __attribute__((visibility("hidden"), weak)) char __libc_single_threaded;
char __libc_single_threaded = 0;

// GLIBCXX_3.4.26: the default constructors. The constructors that take an open mode are older and
// equivalent.
__attribute__((visibility("hidden"), used, weak)) void
_ZNSt7__cxx1119basic_ostringstreamIcSt11char_traitsIcESaIcEEC1Ev(void* where) {
  ::new (where) std::ostringstream(std::ios_base::out);
}
__attribute__((visibility("hidden"), used, weak)) void
_ZNSt7__cxx1118basic_stringstreamIcSt11char_traitsIcESaIcEEC1Ev(void* where) {
  ::new (where) std::stringstream(std::ios_base::in | std::ios_base::out);
}

// GLIBCXX_3.4.29, from vector's size checks.
[[noreturn]] __attribute__((visibility("hidden"), used, weak)) void
_ZSt28__throw_bad_array_new_lengthv() {
  throw std::bad_array_new_length();
}

// GLIBCXX_3.4.32, named by every file that includes <iostream> with GCC 13 or newer: a libstdc++
// that has it sets the standard streams up by itself. Nothing here writes to them.
__attribute__((visibility("hidden"), used, weak)) void _ZSt21ios_base_library_initv() {}
}

#endif
