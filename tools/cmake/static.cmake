# PINWHEEL_STATIC: a program that needs glibc 2.28 alone, whatever it is built on (packaging/README.md). g++ compiles it;
# zig links it, because it knows the symbols of every glibc.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
execute_process(COMMAND ${PROJECT_SOURCE_DIR}/scripts/static-libs
  OUTPUT_VARIABLE static_prefix OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${Python3_EXECUTABLE} -m certifi
  OUTPUT_VARIABLE certificates OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libstdc++.a
  OUTPUT_VARIABLE standard_library OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)

list(PREPEND CMAKE_PREFIX_PATH ${static_prefix})
set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
set(OPENSSL_USE_STATIC_LIBS ON)
add_compile_definitions(PINWHEEL_STATIC)
set_source_files_properties(${PROJECT_SOURCE_DIR}/tools/host/net/trust.cc PROPERTIES
  COMPILE_DEFINITIONS "PINWHEEL_CERTIFICATES=\"${certificates}\"" OBJECT_DEPENDS ${certificates})
add_compile_options(-ffunction-sections -fdata-sections "-ffile-prefix-map=${PROJECT_SOURCE_DIR}=.")
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

set(CMAKE_CXX_LINK_EXECUTABLE "${Python3_EXECUTABLE} -m ziglang cc -target ${CMAKE_SYSTEM_PROCESSOR}-linux-gnu.2.28 -pie -s \
-Wl,--gc-sections,-z,relro,-z,now,--print-map <LINK_FLAGS> <OBJECTS> -o <TARGET> <LINK_LIBRARIES> ${standard_library} \
-lunwind > pinwheel.map")

# A library of pkg-config with all that it needs, as archives.
function(pinwheel_static_closure target prefix)
  foreach(name ${${prefix}_STATIC_LIBRARIES})
    find_library(${prefix}_${name} ${name})
    if(${prefix}_${name})
      target_link_libraries(${target} INTERFACE ${${prefix}_${name}})
    endif()
  endforeach()
endfunction()

# What is in the program and under which licenses, for the metadata of its wheel.
function(pinwheel_install_materials directory)
  install(CODE "execute_process(COMMAND_ERROR_IS_FATAL ANY COMMAND \"${Python3_EXECUTABLE}\"
    \"${PROJECT_SOURCE_DIR}/scripts/wheel_sbom.py\" \"${CMAKE_BINARY_DIR}/pinwheel.map\" \"${static_prefix}\"
    \"${SKBUILD_PROJECT_VERSION_FULL}\" \"${directory}\")")
endfunction()
