# Builds the GPU kernels for the CPU with the tests' emulator (tests/cpp/gpu_emulator.h), so that the operators' GPU
# tests run without a GPU. Slow, single-threaded, and only for tests.

set_source_files_properties(${PINWHEEL_GPU_SOURCES} PROPERTIES LANGUAGE CXX)
target_sources(pinwheel_ops PRIVATE ${PINWHEEL_GPU_SOURCES})
target_compile_definitions(pinwheel_ops PRIVATE PINWHEEL_GPU PINWHEEL_GPU_EMULATOR)
target_include_directories(pinwheel_ops PRIVATE tests/cpp)
