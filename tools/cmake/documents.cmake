# The pages of docs/, in the order of mkdocs.yml, are embedded in the program unchanged: `pinwheel docs` prints them
# (tools/report/shipped_documents.cc). The front page, `index`, is for the site alone.
file(STRINGS ${PROJECT_SOURCE_DIR}/mkdocs.yml pages REGEX "^ +- .*[a-z-]+\\.md$")
set(documents "")
set(lines "")
foreach(page IN LISTS pages)
  string(REGEX REPLACE "^.*[ :]([a-z-]+)\\.md$" "\\1" name "${page}")
  if(name STREQUAL "index")
    continue()
  endif()
  list(APPEND documents ${PROJECT_SOURCE_DIR}/docs/${name}.md)
  string(REPLACE "-" "_" symbol ${name})
  string(APPEND lines "PINWHEEL_DOCUMENT(pinwheel_page_${symbol}, \"${name}\", \"${PROJECT_SOURCE_DIR}/docs/${name}.md\")\n")
endforeach()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/documents.inc CONTENT "${lines}" @ONLY)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/mkdocs.yml)
set_source_files_properties(${PROJECT_SOURCE_DIR}/tools/report/shipped_documents.cc PROPERTIES
  COMPILE_DEFINITIONS "PINWHEEL_DOCUMENTS=\"${PROJECT_BINARY_DIR}/documents.inc\""
  OBJECT_DEPENDS "${documents};${PROJECT_BINARY_DIR}/documents.inc")
