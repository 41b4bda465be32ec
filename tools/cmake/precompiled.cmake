# A sanitized build may read the headers that nearly every file includes from a precompiled header, which
# halves its compile time. A Release build never does: there an include that a file forgot shows.
option(PINWHEEL_PRECOMPILED "precompile the headers that most files include" OFF)

function(pinwheel_precompiled_headers name)
  if(NOT PINWHEEL_PRECOMPILED)
    return()
  endif()
  cmake_parse_arguments(PCH "" "" "HEADERS;LINKS" ${ARGN})
  file(WRITE ${PROJECT_BINARY_DIR}/${name}.cc "")
  add_library(${name} OBJECT ${PROJECT_BINARY_DIR}/${name}.cc)
  target_link_libraries(${name} PRIVATE ${PCH_LINKS} pinwheel_digests fmt::fmt pinwheel_flags pinwheel_warnings)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_options(${name} PRIVATE $<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>)
  target_precompile_headers(${name} PRIVATE <algorithm> <chrono> <filesystem> <fstream> <functional> <map>
    <memory> <optional> <set> <sstream> <string> <string_view> <variant> <vector> <fmt/format.h>
    <tl/expected.hpp> ${PCH_HEADERS})
endfunction()

function(pinwheel_use_precompiled target name)
  if(PINWHEEL_PRECOMPILED)
    # ccache compares what is in the header, not when it was made.
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>)
    target_precompile_headers(${target} REUSE_FROM ${name})
  endif()
endfunction()
