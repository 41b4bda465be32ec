#pragma once
#include <string>

#include "init/draft.h"

namespace pinwheel::init {

/// The matrix file of a draft: YAML in which a comment gives the reason of each line, and a list of
/// what was left out at its end.
std::string matrix_text(const MatrixDraft& draft);

}  // namespace pinwheel::init
