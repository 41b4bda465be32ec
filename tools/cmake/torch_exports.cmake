# The table of torch exports is embedded in the program unchanged (tools/exports/shipped.cc).
set(shipped_exports ${PROJECT_SOURCE_DIR}/tools/exports/torch-exports.pwx)
set_source_files_properties(${PROJECT_SOURCE_DIR}/tools/exports/shipped.cc PROPERTIES
  COMPILE_DEFINITIONS "PINWHEEL_TORCH_EXPORTS=\"${shipped_exports}\""
  OBJECT_DEPENDS ${shipped_exports})
