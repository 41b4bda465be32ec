# The GPU kernels on the CPU, by the tests' emulator (tests/cpp/gpu_emulator.h): the operators' tests of GPU cases
# run on it where there is no GPU. Slow, for one thread at a time, and for nothing else.

set_source_files_properties(${PINWHEEL_GPU_SOURCES} PROPERTIES LANGUAGE CXX)
target_sources(pinwheel_ops PRIVATE ${PINWHEEL_GPU_SOURCES})
target_compile_definitions(pinwheel_ops PRIVATE PINWHEEL_GPU PINWHEEL_GPU_EMULATOR)
target_include_directories(pinwheel_ops PRIVATE tests/cpp)
