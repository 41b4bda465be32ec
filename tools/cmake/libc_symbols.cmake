# The names that C libraries export are embedded in the program unchanged (tools/inspect/libc.cc).
set(libc_symbols ${PROJECT_SOURCE_DIR}/tools/inspect/libc_symbols.txt)
set_source_files_properties(${PROJECT_SOURCE_DIR}/tools/inspect/libc.cc PROPERTIES
  COMPILE_DEFINITIONS "PINWHEEL_LIBC_SYMBOLS=\"${libc_symbols}\""
  OBJECT_DEPENDS ${libc_symbols})
