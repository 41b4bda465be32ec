/* With NEEDS_NEW_GLIBC the library asks for a symbol that glibc gave a new version in 2.34. */
#ifdef NEEDS_NEW_GLIBC
#include <dlfcn.h>
int answer(void) { return dlsym(0, "answer") == 0 ? 42 : 42; }
#else
int answer(void) { return 42; }
#endif
