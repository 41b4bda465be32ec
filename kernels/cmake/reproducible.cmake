# The same sources produce the same bytes in any directory: __FILE__ (also in torch's headers) and debug information
# use paths relative to these roots.
set(PINWHEEL_PREFIX_MAPS
  -ffile-prefix-map=${CMAKE_CURRENT_BINARY_DIR}=build
  -ffile-prefix-map=${CMAKE_CURRENT_SOURCE_DIR}=kernels
  -ffile-prefix-map=${TORCH_INCLUDE}=torch)
add_compile_options("$<$<COMPILE_LANGUAGE:C,CXX>:${PINWHEEL_PREFIX_MAPS}>")
# A hash of the contents, so reproducible.
add_link_options(-Wl,--build-id=sha1)
