# Finds the torch of the Python that runs the build, without importing it (an import takes seconds and fails if
# torch's GPU libraries are absent). Uses only the headers and, for their names at link time, the libraries: any torch
# >= 2.10 produces the same binary.
#
# Sets TORCH_DIR, TORCH_INCLUDE and the targets torch_headers, torch_libraries.

set(PINWHEEL_TORCH_DIR "" CACHE PATH "the directory of the torch package; default: the one of the build's Python")
if(PINWHEEL_TORCH_DIR)
  set(TORCH_DIR ${PINWHEEL_TORCH_DIR})
else()
  find_package(Python 3.9 REQUIRED COMPONENTS Interpreter)
  execute_process(
    COMMAND ${Python_EXECUTABLE} -c "import importlib.util as u; s = u.find_spec('torch'); print(s.submodule_search_locations[0] if s else '')"
    OUTPUT_VARIABLE TORCH_DIR OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
endif()
set(TORCH_INCLUDE ${TORCH_DIR}/include)
if(NOT EXISTS ${TORCH_INCLUDE}/torch/csrc/stable/library.h)
  message(FATAL_ERROR "no torch >= 2.10 for ${Python_EXECUTABLE}: install any build of it (CPU works): "
    "pip install 'torch>=2.10'; and build with --no-build-isolation to use it")
endif()
file(STRINGS ${TORCH_INCLUDE}/torch/headeronly/version.h torch_version REGEX "define TORCH_VERSION_(MAJOR|MINOR) [0-9]")
string(REGEX REPLACE ".*MAJOR ([0-9]+).*MINOR ([0-9]+).*" "\\1.\\2" torch_version "${torch_version}")
if(torch_version VERSION_LESS 2.10)
  message(FATAL_ERROR "torch ${torch_version} in ${TORCH_DIR} is older than 2.10, the first with the required stable ABI")
endif()
message(STATUS "torch ${torch_version} headers: ${TORCH_INCLUDE}")

add_library(torch_headers INTERFACE)
target_include_directories(torch_headers SYSTEM INTERFACE ${TORCH_INCLUDE})
# 2.10: the headers declare nothing newer, so the binary loads under every torch >= 2.10.
target_compile_definitions(torch_headers INTERFACE TORCH_TARGET_VERSION=0x020A000000000000)

add_library(torch_libraries INTERFACE)
foreach(name IN ITEMS torch torch_cpu)
  if(NOT EXISTS ${TORCH_DIR}/lib/lib${name}.so)
    message(FATAL_ERROR "${TORCH_DIR}/lib has no lib${name}.so: torch is installed incompletely")
  endif()
  target_link_libraries(torch_libraries INTERFACE ${TORCH_DIR}/lib/lib${name}.so)
endforeach()

# A GPU build links libtorch_cuda or libtorch_hip. If this torch lacks it (the CPU wheel), a stub library of that name
# is linked instead: the linker records the name, and the user's torch provides the real one.
function(link_torch_gpu name)
  set(library ${TORCH_DIR}/lib/lib${name}.so)
  if(NOT EXISTS ${library})
    set(library ${CMAKE_BINARY_DIR}/stand-in/lib${name}.so)
    file(WRITE ${CMAKE_BINARY_DIR}/stand-in/${name}.c
      "int aoti_torch_get_current_cuda_stream(int device, void** stream) { (void)device; (void)stream; return 1; }\n")
    execute_process(
      COMMAND ${CMAKE_C_COMPILER} -shared -fPIC -Wl,-soname,lib${name}.so -o ${library} ${CMAKE_BINARY_DIR}/stand-in/${name}.c
      COMMAND_ERROR_IS_FATAL ANY)
  endif()
  target_link_libraries(torch_libraries INTERFACE ${library})
endfunction()
