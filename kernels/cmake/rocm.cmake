# Compiles the GPU kernels with HIP, from the same sources. CMake's own HIP language does not support every
# distribution's hipcc, so custom commands call hipcc.
#
# Reads ROCM_PATH (default: hipcc on PATH) and PYTORCH_ROCM_ARCH, for example "gfx90a;gfx1030".

find_program(HIPCC hipcc HINTS ENV ROCM_PATH PATH_SUFFIXES bin REQUIRED)
execute_process(
  COMMAND ${CMAKE_COMMAND} -E env HIP_PLATFORM=amd ${HIPCC} --version
  OUTPUT_VARIABLE hip_version ERROR_QUIET COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCH "HIP version: ([0-9]+\\.[0-9]+)" _ "${hip_version}")
set(found ${CMAKE_MATCH_1})
string(REGEX REPLACE "^rocm/" "" wanted ${PINWHEEL_COMPUTE})
string(REGEX MATCH "^[0-9]+(\\.[0-9]+)?" wanted ${wanted})
if(NOT "${found}." MATCHES "^${wanted}\\.")
  message(FATAL_ERROR "this build is for ROCm ${wanted} but ${HIPCC} is from HIP ${found}: "
    "set ROCM_PATH to a ROCm ${wanted}, or PINWHEEL_COMPUTE to rocm/${found}")
endif()

set(arch_list gfx90a)
if(DEFINED ENV{PYTORCH_ROCM_ARCH})
  set(arch_list "$ENV{PYTORCH_ROCM_ARCH}")
endif()
string(REGEX REPLACE "[ ,;]+" ";" arch_list "${arch_list}")
list(REMOVE_ITEM arch_list "")
if(NOT arch_list)
  message(FATAL_ERROR "PYTORCH_ROCM_ARCH is empty: name at least one architecture, for example gfx90a")
endif()
foreach(arch IN LISTS arch_list)
  if(NOT arch MATCHES "^gfx[0-9a-f]+(:[a-z]+[+-])*$")
    message(FATAL_ERROR "`${arch}` in PYTORCH_ROCM_ARCH is not an architecture such as gfx90a")
  endif()
endforeach()
list(JOIN arch_list " " PINWHEEL_ARCH_LIST)
list(TRANSFORM arch_list PREPEND --offload-arch=)
message(STATUS "HIP ${found}, architectures: ${PINWHEEL_ARCH_LIST}")

foreach(source IN LISTS PINWHEEL_GPU_SOURCES)
  get_filename_component(name ${source} NAME_WE)
  set(object ${CMAKE_CURRENT_BINARY_DIR}/hip/${name}.o)
  add_custom_command(
    OUTPUT ${object}
    # With nvcc on PATH hipcc would become a wrapper around it, unless HIP_PLATFORM is set; it also expects the caller
    # to define the macro. clang's default compilation unit ID (cuid), which becomes a symbol, hashes all options,
    # including directories.
    COMMAND ${CMAKE_COMMAND} -E env HIP_PLATFORM=amd ${CMAKE_HIP_COMPILER_LAUNCHER} ${HIPCC}
      -x hip -std=c++17 -O3 -DNDEBUG -fPIC -fvisibility=hidden -Wall -D__HIP_PLATFORM_AMD__=1 ${arch_list}
      ${PINWHEEL_PREFIX_MAPS} -cuid=pinwheel_${name} -I${CMAKE_CURRENT_SOURCE_DIR}/csrc -MD -MF ${object}.d
      -c ${CMAKE_CURRENT_SOURCE_DIR}/${source} -o ${object}
    DEPENDS ${source}
    DEPFILE ${object}.d
    COMMENT "Building HIP object ${name}"
    VERBATIM)
  target_sources(pinwheel_ops PRIVATE ${object})
endforeach()
file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/hip)
target_compile_definitions(pinwheel_ops PRIVATE PINWHEEL_GPU)

find_library(AMDHIP64 amdhip64 HINTS ENV ROCM_PATH PATH_SUFFIXES lib REQUIRED)
target_link_libraries(pinwheel_ops PRIVATE ${AMDHIP64})
link_torch_gpu(torch_hip)
