#pragma once
#include <string>

#include "init/draft.h"

namespace pinwheel::init {

/// The matrix file of a draft: YAML in which a comment gives the reason for each line, with a list
/// of the omitted settings at its end.
std::string matrix_text(const MatrixDraft& draft);

}  // namespace pinwheel::init
