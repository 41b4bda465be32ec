#include "prepare/one_variant.h"

#include <fmt/format.h>

#include "base/text.h"
#include "prepare/host.h"
#include "prepare/prepare_run.h"
#include "prepare/read_scope.h"

namespace pinwheel::prepare {
Result<PreparedRun> prepare_variant(const Host& host, const GlobalOptions& global,
                                    const OneVariantRequest& request, ports::Notices& notices) {
  TRY(const MatrixChoice choice, choose_matrix(host, request.arguments));
  if (choice.globs.size() != 1) {
    return fail(ErrorKind::usage, fmt::format("{} takes one id", quoted(request.command)),
                "`pinwheel plan --format ids` lists them");
  }
  const SelectionOptions selection;
  TRY(const RunScope scope, read_scope(host,
                                       {.global = global,
                                        .choice = choice,
                                        .selection = selection,
                                        .levels = request.levels,
                                        .stage = request.stage,
                                        .part = ScopePart::one_id},
                                       notices));
  return prepare_run(host, scope, request.packages, notices);
}

}  // namespace pinwheel::prepare
