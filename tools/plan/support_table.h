#pragma once
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "matrix/expand.h"
#include "matrix/matrix.h"

namespace pinwheel::plan {

enum class Support { yes, no };

struct SupportCell {
  Support support = Support::no;
  std::vector<int> notes = {};  ///< numbers, ascending
};

/// Compute (rows) against PyTorch (columns). Yes if any variant is planned there in any channel,
/// with any status except `unsupported`. Notes are the reasons of rules, numbered in rule order; a
/// Yes cell collects those that matched its variants, a No cell those that excluded them.
struct SupportTable {
  std::vector<std::string> columns;  ///< "PyTorch 2.0", "PyTorch nightly"
  std::vector<std::pair<std::string, std::vector<SupportCell>>>
      rows;                        ///< "CUDA 11.8" and its cells
  std::vector<std::string> notes;  ///< note N is notes[N-1]
};

/// `config` if the matrix has no `compute` or no `torch` axis.
Result<SupportTable> make_support_table(const matrix::Matrix& matrix,
                                        const matrix::Expansion& expansion);

}  // namespace pinwheel::plan
