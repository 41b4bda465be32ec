#include "matrix/parse.h"

#include "matrix/decode.h"
#include "matrix/read.h"
#include "matrix/schema.h"

namespace pinwheel::matrix {
namespace {

std::string directory_of(const std::string& file) {
  const size_t slash = file.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : file.substr(0, slash);
}

}  // namespace

Result<Matrix> parse(std::string_view yaml, const std::string& file) {
  TRY(const Node root, read_yaml(yaml, file));
  TRY_DONE(validate(root, matrix_shape(), "a matrix file"));
  Matrix matrix;
  matrix.file = file;
  matrix.directory = directory_of(file);
  TRY_DONE(decode_package(root, matrix));
  TRY_DONE(decode_computes(root, matrix));
  TRY_DONE(decode_axes(root, matrix));
  TRY_DONE(check_computes(root, matrix));
  TRY_DONE(decode_rules(root, matrix));
  TRY_DONE(decode_abi(root, matrix));
  TRY_DONE(decode_sections(root, matrix));
  TRY_DONE(decode_publish(root, matrix));
  TRY_DONE(decode_channels(root, matrix));
  TRY_DONE(decode_ci(root, matrix));
  TRY_DONE(decode_stores(root, matrix));
  return matrix;
}

}  // namespace pinwheel::matrix
