# Every library comes from the distribution; scripts/packages.txt lists the Debian packages.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(spdlog REQUIRED)
find_package(CURL REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(tl-expected REQUIRED)
pkg_check_modules(LIBGIT2 REQUIRED IMPORTED_TARGET libgit2)
pkg_check_modules(LIBSODIUM REQUIRED IMPORTED_TARGET libsodium)
pkg_check_modules(LIBZSTD REQUIRED IMPORTED_TARGET libzstd)
find_path(LIBDEFLATE_INCLUDE libdeflate.h REQUIRED)
find_library(LIBDEFLATE_LIBRARY deflate REQUIRED)
find_path(ISAL_INCLUDE isa-l/igzip_lib.h REQUIRED)
find_library(ISAL_LIBRARY isal REQUIRED)
find_path(TOMLPLUSPLUS_INCLUDE toml++/toml.h REQUIRED)

add_library(pinwheel_digests INTERFACE)
target_link_libraries(pinwheel_digests INTERFACE tl::expected OpenSSL::Crypto PkgConfig::LIBSODIUM)

add_library(pinwheel_compression INTERFACE)
target_include_directories(pinwheel_compression INTERFACE ${LIBDEFLATE_INCLUDE} ${ISAL_INCLUDE})
target_link_libraries(pinwheel_compression INTERFACE ${LIBDEFLATE_LIBRARY} ${ISAL_LIBRARY} PkgConfig::LIBZSTD)

# Header-only.
add_library(pinwheel_toml INTERFACE)
target_include_directories(pinwheel_toml SYSTEM INTERFACE ${TOMLPLUSPLUS_INCLUDE})

# Only the headers of libgit2 and libcurl are used; the libraries are loaded on first use (host/git/git_library.h,
# host/net/http_library.h): `plan` needs neither.
add_library(pinwheel_git INTERFACE)
target_include_directories(pinwheel_git SYSTEM INTERFACE ${LIBGIT2_INCLUDE_DIRS})
target_link_libraries(pinwheel_git INTERFACE ${CMAKE_DL_LIBS})

add_library(pinwheel_http INTERFACE)
target_include_directories(pinwheel_http SYSTEM INTERFACE ${CURL_INCLUDE_DIRS})
target_link_libraries(pinwheel_http INTERFACE ${CMAKE_DL_LIBS})
