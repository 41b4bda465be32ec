# Compiles the GPU kernels with CUDA and a static runtime: the binary needs a driver but no toolkit, and loads next to
# a torch of any CUDA version.
#
# Reads CUDA_HOME (default: nvcc on PATH) and TORCH_CUDA_ARCH_LIST, for example "8.0;9.0a;12.0+PTX".

if(NOT CMAKE_CUDA_COMPILER AND DEFINED ENV{CUDA_HOME} AND EXISTS $ENV{CUDA_HOME}/bin/nvcc)
  set(CMAKE_CUDA_COMPILER $ENV{CUDA_HOME}/bin/nvcc)
endif()
set(CMAKE_CUDA_ARCHITECTURES OFF)  # the flags below set them
enable_language(CUDA)

string(REGEX REPLACE "^cuda/" "" wanted ${PINWHEEL_COMPUTE})
string(REGEX MATCH "^[0-9]+\\.[0-9]+" found ${CMAKE_CUDA_COMPILER_VERSION})
string(REGEX MATCH "^[0-9]+(\\.[0-9]+)?" wanted ${wanted})
if(NOT "${found}." MATCHES "^${wanted}\\.")
  message(FATAL_ERROR "this build is for CUDA ${wanted} but ${CMAKE_CUDA_COMPILER} is from CUDA ${found}: "
    "set CUDA_HOME to a toolkit of CUDA ${wanted}, or PINWHEEL_COMPUTE to cuda/${found}")
endif()

set(arch_list "8.0 9.0+PTX")
if(DEFINED ENV{TORCH_CUDA_ARCH_LIST})
  set(arch_list "$ENV{TORCH_CUDA_ARCH_LIST}")
endif()
if(DEFINED PINWHEEL_CUDA_ARCH_LIST)
  set(arch_list "${PINWHEEL_CUDA_ARCH_LIST}")
endif()
string(REGEX REPLACE "[ ,;]+" ";" arch_list "${arch_list}")
list(REMOVE_ITEM arch_list "")
if(NOT arch_list)
  message(FATAL_ERROR "TORCH_CUDA_ARCH_LIST is empty: name at least one architecture, for example 9.0")
endif()
set(gencode "")
foreach(arch IN LISTS arch_list)
  if(NOT arch MATCHES "^([0-9]+)\\.([0-9][af]?)(\\+PTX)?$")
    message(FATAL_ERROR "`${arch}` in TORCH_CUDA_ARCH_LIST is not an architecture such as 9.0, 9.0a or 12.0+PTX")
  endif()
  set(number ${CMAKE_MATCH_1}${CMAKE_MATCH_2})
  list(APPEND gencode "SHELL:-gencode arch=compute_${number},code=sm_${number}")
  if(CMAKE_MATCH_3)
    list(APPEND gencode "SHELL:-gencode arch=compute_${number},code=compute_${number}")
  endif()
endforeach()
list(JOIN arch_list " " PINWHEEL_ARCH_LIST)
message(STATUS "CUDA ${found}, architectures: ${PINWHEEL_ARCH_LIST}")

target_sources(pinwheel_ops PRIVATE ${PINWHEEL_GPU_SOURCES})
target_compile_definitions(pinwheel_ops PRIVATE PINWHEEL_GPU)
# The strongest compression requires a driver >= 550, which CUDA 13 requires anyway.
set(packing "")
if(CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
  set(packing --compress-mode=size)
endif()
list(JOIN PINWHEEL_PREFIX_MAPS "," prefix_maps)
target_compile_options(pinwheel_ops PRIVATE
  "$<$<COMPILE_LANGUAGE:CUDA>:${gencode};${packing};-Xcompiler=-Wall,${prefix_maps};--objdir-as-tempdir>")
# Every kernel is launched from the file that defines it: no device linking.
set_target_properties(pinwheel_ops PROPERTIES
  CUDA_ARCHITECTURES OFF
  CUDA_STANDARD 17 CUDA_STANDARD_REQUIRED ON CUDA_EXTENSIONS OFF CUDA_VISIBILITY_PRESET hidden
  CUDA_RUNTIME_LIBRARY Static CUDA_RESOLVE_DEVICE_SYMBOLS OFF LINKER_LANGUAGE CXX)
include(cmake/glibc_floor.cmake)
link_old_glibc(pinwheel_ops)
link_torch_gpu(torch_cuda)
