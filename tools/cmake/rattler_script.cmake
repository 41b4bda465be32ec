# The script that calls py-rattler is embedded in the program: one file to install, no lookup of another.
set(RATTLER_SOURCE ${PROJECT_SOURCE_DIR}/tools/conda/rattler.py)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${RATTLER_SOURCE})
file(READ ${RATTLER_SOURCE} RATTLER_SCRIPT)
configure_file(${PROJECT_SOURCE_DIR}/tools/conda/rattler_script.cc.in ${PROJECT_BINARY_DIR}/rattler_script.cc @ONLY)
target_sources(pw_conda PRIVATE ${PROJECT_BINARY_DIR}/rattler_script.cc)
