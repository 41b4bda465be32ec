#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "matrix/expand.h"
#include "matrix/matrix.h"
#include "matrix/selection.h"
#include "plan/outline.h"
#include "ports/files.h"
#include "ports/notices.h"
#include "prepare/host.h"
#include "prepare/options.h"

namespace pinwheel::prepare {

constexpr const char* kMatrixDirectory = "matrix";
/// The matrix file for projects where a directory `matrix/` would break package discovery
/// (`init::has_flat_discovery`).
constexpr const char* kMatrixFile = "pinwheel.yaml";

/// A matrix file and everything derived from it alone.
struct Loaded {
  matrix::Matrix matrix;
  matrix::Expansion expansion;
  std::vector<matrix::AbiClass> classes;
  std::string text = {};  ///< the file

  /// sha256 of the file. Computed on request: most commands do not need it, and the first digest of
  /// a process initializes OpenSSL.
  std::string digest() const;
};

/// Whether a positional argument is a matrix file rather than a variant or a step.
bool is_matrix_name(std::string_view argument);

/// The matrix among the positional arguments, else `PINWHEEL_MATRIX`, else the only file
/// in `matrix/` and `pinwheel.yaml`; the other positional arguments are returned in `globs`.
/// `usage` with the list of candidates if the choice is ambiguous, and for an argument that is
/// another file or a directory.
struct MatrixChoice {
  std::string path;
  std::vector<std::string> globs;
};
Result<MatrixChoice> choose_matrix(const Host& host, const std::vector<std::string>& arguments);

enum class Warnings { print, refuse };

/// Reads, checks and expands the matrix. Warnings go to stderr, or are errors (`--strict`).
Result<Loaded> load_matrix(ports::Files& files, const std::string& path, ports::Notices& notices,
                           Warnings warnings);

/// The selected part of the matrix, limited to its shard. An empty result is `nothing_selected`
/// unless `--allow-empty`.
Result<plan::Outline> select_outline(const Loaded& loaded, const SelectionOptions& options,
                                     const std::vector<std::string>& globs,
                                     const std::string& channel);

/// The part of an outline that is in the shard of the options; all of it without one. An empty
/// shard is `nothing_selected` unless `--allow-empty`.
Result<plan::Outline> shard_of(plan::Outline outline, const SelectionOptions& options);

/// The variants in whose environments the builds of an outline are made, in matrix order. Nothing
/// is built for the others, so everything about builds concerns only these. They belong to
/// `loaded`.
Result<std::vector<const matrix::Variant*>> built_variants(const Loaded& loaded,
                                                           const plan::Outline& outline);

/// Those of them that build one package.
Result<std::vector<const matrix::Variant*>> built_variants(const Loaded& loaded,
                                                           const plan::Outline& outline,
                                                           const matrix::Package& package);

/// The directory of the source of the matrix's `package`, absolute; for a package from an index,
/// that of the matrix. `config`, at the place of its `source`, if it is not a directory.
Result<std::filesystem::path> package_directory(const Host& host, const matrix::Matrix& matrix);
/// The same for any package of the matrix.
Result<std::filesystem::path> package_directory(const Host& host, const matrix::Matrix& matrix,
                                                const matrix::Package& package);

}  // namespace pinwheel::prepare
