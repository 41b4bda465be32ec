#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/options.h"
#include "cli/streams.h"
#include "matrix/expand.h"
#include "matrix/matrix.h"
#include "matrix/selection.h"
#include "plan/outline.h"
#include "ports/files.h"

namespace pinwheel::cli {

/// A matrix file and all that follows from it alone.
struct Loaded {
  matrix::Matrix matrix;
  matrix::Expansion expansion;
  std::vector<matrix::AbiClass> classes;
};

/// Whether a positional names a matrix file rather than a variant or a step.
bool is_matrix_name(std::string_view argument);

/// The matrix among the positionals, else `PINWHEEL_MATRIX`, else the only file in `matrix/`; the
/// other positionals are left in `globs`. `usage` with the list of candidates when none is clear.
struct MatrixChoice {
  std::string path;
  std::vector<std::string> globs;
};
Result<MatrixChoice> choose_matrix(ports::Files& files, const std::vector<std::string>& arguments);

enum class Warnings { tell, refuse };

/// Reads, checks and expands. Warnings go to stderr, or are errors (`--strict`).
Result<Loaded> load_matrix(ports::Files& files, const std::string& path, Streams& streams,
                           Warnings warnings);

/// The selection's share of the matrix, cut to its shard. An empty result is `nothing_selected`
/// unless
/// `--allow-empty`.
Result<plan::Outline> select_outline(const Loaded& loaded, const SelectionOptions& options,
                                     const std::vector<std::string>& globs,
                                     const std::string& channel);

}  // namespace pinwheel::cli
