# The documents that `pinwheel docs` prints are embedded in the program unchanged (tools/report/shipped_documents.cc).
set(documents ${PROJECT_SOURCE_DIR}/matrix/README.md ${PROJECT_SOURCE_DIR}/matrix/cookbook.md
  ${PROJECT_SOURCE_DIR}/tools/cli/README.md)
list(GET documents 0 matrix_page)
list(GET documents 1 cookbook)
list(GET documents 2 cli_page)
set_source_files_properties(${PROJECT_SOURCE_DIR}/tools/report/shipped_documents.cc PROPERTIES
  COMPILE_DEFINITIONS "PINWHEEL_MATRIX_PAGE=\"${matrix_page}\";PINWHEEL_COOKBOOK=\"${cookbook}\";PINWHEEL_CLI_PAGE=\"${cli_page}\""
  OBJECT_DEPENDS "${documents}")
