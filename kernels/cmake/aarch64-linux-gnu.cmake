# For CMAKE_TOOLCHAIN_FILE: aarch64 libraries by Debian's g++-aarch64-linux-gnu, on a machine of any kind.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
