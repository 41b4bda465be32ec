#pragma once
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace pinwheel::init {

enum class YesOrNo { no, yes };

/// The value of a key of the matrix: a scalar, a list or a mapping; `monostate` for a comment
/// without a key.
using LineValue = std::variant<std::monostate, std::string, YesOrNo, std::vector<std::string>,
                               std::vector<std::pair<std::string, std::string>>>;

/// A key of the matrix with its value, and the reason for that value.
struct MatrixLine {
  std::string key;  ///< with dots, "environment.torch.spec"; of a comment, the section it belongs
                    ///< to
  LineValue value;
  std::string because = {};  ///< lower case, no full stop; may be empty

  bool operator==(const MatrixLine&) const = default;
};

/// A setting of the project that the matrix does not have.
struct LeftOut {
  std::string what;  ///< "cibuildwheel `before-all` (pyproject.toml)"
  std::string why;   ///< the reason, and the advice

  bool operator==(const LeftOut&) const = default;
};

/// A matrix to write. `lines` are in the order of the file; the lines of a section are adjacent.
struct MatrixDraft {
  std::vector<MatrixLine> lines = {};
  std::vector<LeftOut> left_out = {};
  std::string proven_by = {};  ///< file name of the wheel that proved its `abi`; empty: none did
};

}  // namespace pinwheel::init
