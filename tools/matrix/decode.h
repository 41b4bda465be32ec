#pragma once
// Decodes the sections of a validated tree, and checks what the schema cannot express: references
// to names declared elsewhere in the file, and keys that only make sense together. Each function
// fills its part of the matrix; errors are of kind `config` with a place. `root` has passed
// `validate`.
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "matrix/matrix.h"
#include "matrix/node.h"

namespace pinwheel::matrix {

/// `package`, and `family` except its `abi`s.
Done decode_package(const Node& root, Matrix& matrix);
/// `computes`: what each line declares.
Done decode_computes(const Node& root, Matrix& matrix);
/// `axes`, `attributes`, `exclude`, `include`; needs the computes.
Done decode_axes(const Node& root, Matrix& matrix);
/// Checks `computes` against the axes: each line must be used, and each label unique.
Done check_computes(const Node& root, const Matrix& matrix);
/// `rules`; needs the axes and the channels' names.
Done decode_rules(const Node& root, Matrix& matrix);
/// `abi`, also those in `family`; needs the axes.
Done decode_abi(const Node& root, Matrix& matrix);
/// `environment`, `build`, `checks`, `test` as a tree, and `overrides`; needs the axes.
Done decode_sections(const Node& root, Matrix& matrix);
/// `publish`; needs the axes.
Done decode_publish(const Node& root, Matrix& matrix);
/// `channels`; needs the axes and the publish targets.
Done decode_channels(const Node& root, Matrix& matrix);
/// `store`.
Done decode_stores(const Node& root, Matrix& matrix);
/// `ci`; needs the axes and the publish targets.
Done decode_ci(const Node& root, Matrix& matrix);

/// A condition (`when`, `only`, `select`); an axis that the matrix lacks is an error.
Result<When> decode_when(const Node& node, const Matrix& matrix);
/// The scalars of a list, or the single scalar.
std::vector<std::string> strings_of(const Node& node);
/// The text of a key, or the fallback when it is absent.
std::string text_or(const Node& mapping, std::string_view key, const std::string& fallback);
/// Checks the globs of a `{default: ..., "cuda/*": ...}` mapping: each must match a value of some
/// axis.
Done check_by_value(const Node& node, const Matrix& matrix);

/// Checks a pattern of a section by the values of one axis.
Done check_pattern(const std::string& pattern, std::string_view axis, const Location& at,
                   const Matrix& matrix);
/// The same for each glob of a `{default: ..., "cuda/*": ...}` mapping by compute.
Done check_by_compute(const Node& node, const Matrix& matrix);

/// The names that conditions and templates may use: axes and attributes.
std::vector<std::string> names_in(const Matrix& matrix);

/// The axis of that name, owned by the matrix; null if it has none.
const Axis* find_axis(const Matrix& matrix, std::string_view name);

/// Every value that a variant may have on the axis or attribute: those that the axis lists, then
/// those of `include`, each once.
std::vector<std::string> values_of_axis(const Matrix& matrix, std::string_view name);

}  // namespace pinwheel::matrix
