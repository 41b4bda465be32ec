# Selects the operators of a build. A family `f` is csrc/ops/f.cpp plus whichever of csrc/cpu/f.cpp, csrc/simd/f.cpp
# and csrc/gpu/f.cu exist. Each registers its own operators, so whatever is left out is simply absent.
#
# Reads PINWHEEL_FLAVOR: the name of a flavor or a list of families. Sets PINWHEEL_FLAVOR, PINWHEEL_OPERATOR_SOURCES
# (host) and PINWHEEL_GPU_SOURCES, and defines link_operators(target).

set(families
  bounds
  bucketize
  cumsum
  embedding
  embedding_adagrad
  embedding_dense
  embedding_int8
  embedding_sgd
  jagged
  jagged_elementwise
  jagged_softmax
  jagged_vector
  pack_segments
  permute
  pooled
  quantize
  ranges)
# Families that a family depends on. embedding_update has no operators of its own.
set(needs_bucketize cumsum)
set(needs_embedding_adagrad embedding_update)
set(needs_embedding_sgd embedding_update)
set(needs_pack_segments cumsum)

# What each flavor leaves out: `inference` everything that trains weights, `adagrad` the other optimizers.
set(flavor_full "")
set(flavor_inference embedding_adagrad embedding_dense embedding_sgd)
set(flavor_adagrad embedding_sgd)

if(NOT DEFINED PINWHEEL_FLAVOR AND DEFINED ENV{PINWHEEL_FLAVOR})
  set(PINWHEEL_FLAVOR $ENV{PINWHEEL_FLAVOR})
endif()
set(PINWHEEL_FLAVOR "${PINWHEEL_FLAVOR}" CACHE STRING
  "which operators are built: full, inference, adagrad, or a comma-separated list of families")
if(NOT PINWHEEL_FLAVOR)
  set(PINWHEEL_FLAVOR full)
endif()
if(DEFINED flavor_${PINWHEEL_FLAVOR})
  list(REMOVE_ITEM families ${flavor_${PINWHEEL_FLAVOR}} "")
else()
  string(REPLACE "," ";" asked "${PINWHEEL_FLAVOR}")
  foreach(family IN LISTS asked)
    if(NOT family IN_LIST families)
      list(JOIN families ", " known)
      message(FATAL_ERROR "PINWHEEL_FLAVOR is `${PINWHEEL_FLAVOR}`; it must be full, inference, adagrad, "
        "or a comma-separated list of these: ${known}")
    endif()
  endforeach()
  set(families ${asked})
endif()
foreach(family IN LISTS families)
  list(APPEND families ${needs_${family}})
endforeach()
list(REMOVE_DUPLICATES families)
message(STATUS "flavor: ${PINWHEEL_FLAVOR}")

set(PINWHEEL_OPERATOR_SOURCES "")
set(PINWHEEL_GPU_SOURCES "")
set(simd_sources "")
foreach(family IN LISTS families)
  foreach(source IN ITEMS csrc/ops/${family}.cpp csrc/cpu/${family}.cpp)
    if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${source})
      list(APPEND PINWHEEL_OPERATOR_SOURCES ${source})
    endif()
  endforeach()
  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/csrc/simd/${family}.cpp)
    list(APPEND simd_sources csrc/simd/${family}.cpp)
  endif()
  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/csrc/gpu/${family}.cu)
    list(APPEND PINWHEEL_GPU_SOURCES csrc/gpu/${family}.cu)
  endif()
endforeach()

# Compiles simd/ once per instruction set; base/isa.h selects one at run time. Sums are rounded the same way in all of
# them: no contraction to fused multiply-add unless the source says so.
function(add_simd_objects target isa)
  add_library(pinwheel_simd_${isa} OBJECT ${simd_sources})
  target_include_directories(pinwheel_simd_${isa} PRIVATE csrc)
  target_compile_definitions(pinwheel_simd_${isa} PRIVATE PINWHEEL_ISA=${isa})
  target_compile_options(pinwheel_simd_${isa} PRIVATE
    -Wall -Wextra
    -Wno-maybe-uninitialized  # false positives in GCC 12's own AVX-512 intrinsics
    -fno-math-errno -fno-trapping-math -ffp-contract=off ${ARGN})
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:pinwheel_simd_${isa}>)
endfunction()

function(link_operators target)
  target_sources(${target} PRIVATE csrc/base/device.cpp csrc/base/isa.cpp csrc/base/tensors.cpp csrc/ops/jagged_offsets.cpp
    csrc/ops/padding.cpp csrc/ops/tbe_arguments.cpp ${PINWHEEL_OPERATOR_SOURCES})
  if(simd_sources)
    add_simd_objects(${target} base)
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
      add_simd_objects(${target} avx2 -mavx2 -mfma -mf16c)
      add_simd_objects(${target} avx512 -mavx2 -mfma -mf16c -mavx512f -mavx512bw -mavx512dq -mavx512vl
        -mprefer-vector-width=512)
    endif()
  endif()
endfunction()
