# The same sources give the same bytes whatever the directories are called: __FILE__ (also in torch's
# headers) and debug information name files relative to these roots.
set(PINWHEEL_PREFIX_MAPS
  -ffile-prefix-map=${CMAKE_CURRENT_BINARY_DIR}=build
  -ffile-prefix-map=${CMAKE_CURRENT_SOURCE_DIR}=kernels
  -ffile-prefix-map=${TORCH_INCLUDE}=torch)
add_compile_options("$<$<COMPILE_LANGUAGE:C,CXX>:${PINWHEEL_PREFIX_MAPS}>")
# A hash of the contents, so equal for equal contents.
add_link_options(-Wl,--build-id=sha1)
