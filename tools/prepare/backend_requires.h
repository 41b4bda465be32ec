#pragma once
#include <optional>

#include "base/result.h"
#include "matrix/matrix.h"
#include "ports/notices.h"
#include "prepare/backend_question.h"
#include "prepare/package_source.h"
#include "prepare/run_scope.h"

namespace pinwheel::prepare {

/// The matrix with what the backend requires of each variant's build, beyond the files of the
/// project (`Matrix::backend_answers`). Answers come from the record of this state directory, the
/// locks beside the matrix, or the plan of `source`; otherwise the backend is asked, once per
/// environment: that is made for it, with the packages that the files name. Reports what it asks.
///
/// `run` is a scope without answers. Asks nothing without a question, with `build-requires: none`,
/// and for `FromRecord`, which runs nothing. Errors are those of `prepare_environments` and
/// `host::ask_backend`.
Result<matrix::Matrix> ask_backends(const RunView& run,
                                    const std::optional<BackendQuestion>& question,
                                    const PackageSource& source, ports::Notices& notices);

}  // namespace pinwheel::prepare
