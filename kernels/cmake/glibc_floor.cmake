# link_old_glibc(target): lets `target`, linked on a system with glibc >= 2.34, load on glibc 2.28.
#
# Static archives such as the CUDA runtime reference symbols like pthread_create without a version. glibc 2.34 moved
# these symbols into libc.so.6 under a new version, so the linker would record GLIBC_2.34. Stub libraries with the old
# names and versions precede libc on the link line: the linker records those, which every glibc still provides. The
# stubs are not shipped.
function(link_old_glibc target)
  set(directory ${CMAKE_BINARY_DIR}/stand-in)
  file(STRINGS ${CMAKE_CURRENT_SOURCE_DIR}/cmake/glibc_names.txt lines REGEX "^lib")
  foreach(line IN LISTS lines)
    string(REPLACE " " ";" fields ${line})
    list(GET fields 0 library)
    list(GET fields 1 version)
    list(GET fields 2 name)
    if(NOT CMAKE_SYSTEM_PROCESSOR STREQUAL x86_64)
      set(version 2.17)
    endif()
    list(APPEND libraries ${library})
    list(APPEND versions_${library} ${version})
    string(APPEND names_${library}_${version} "${name}; ")
    string(APPEND code_${library} "void ${name}(void) {}\n")
  endforeach()
  list(REMOVE_DUPLICATES libraries)
  foreach(library IN LISTS libraries)
    list(REMOVE_DUPLICATES versions_${library})
    set(map "")
    foreach(version IN LISTS versions_${library})
      string(APPEND map "GLIBC_${version} { global: ${names_${library}_${version}}};\n")
    endforeach()
    file(WRITE ${directory}/${library}.c "${code_${library}}")
    file(WRITE ${directory}/${library}.map "${map}")
    execute_process(
      COMMAND ${CMAKE_C_COMPILER} -w -fno-builtin -nostdlib -shared -fPIC -Wl,-soname,${library}
        -Wl,--version-script=${directory}/${library}.map -o ${directory}/${library} ${directory}/${library}.c
      COMMAND_ERROR_IS_FATAL ANY)
    target_link_libraries(${target} PRIVATE ${directory}/${library})
  endforeach()
endfunction()
