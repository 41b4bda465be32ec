add_library(pinwheel_warnings INTERFACE)
target_compile_options(pinwheel_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-align
  -Wformat=2 -Wimplicit-fallthrough -Wnull-dereference -Werror)
# g++ 12 reports false positives here when it inlines std::string and std::variant at -O2.
target_compile_options(pinwheel_warnings INTERFACE
  $<$<CXX_COMPILER_ID:GNU>:-Wno-null-dereference -Wno-maybe-uninitialized -Wno-restrict -Wno-stringop-overflow -Wno-array-bounds>)

add_library(pinwheel_flags INTERFACE)
if(PINWHEEL_SANITIZE)
  target_compile_options(pinwheel_flags INTERFACE -fsanitize=${PINWHEEL_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  target_link_options(pinwheel_flags INTERFACE -fsanitize=${PINWHEEL_SANITIZE})
endif()
