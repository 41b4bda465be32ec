#include "cli/prepare_environments.h"

#include "cli/locks.h"
#include "cli/stoppable.h"

namespace pinwheel::cli {

Done prepare_environments(const Undertaking& what, const EnvironmentChoice& choice,
                          host::Workplace& workplace, Streams& streams, Facts& facts) {
  const auto prepare = [&]() -> Done {
    TRY_DONE(prepare_containers(what, choice.levels, choice.images, workplace, streams, facts));
    if (choice.locks == UseLocks::yes) {
      TRY_DONE(apply_locks(what, workplace, Refresh::no, streams, facts));
    }
    return gather_resolutions(what, workplace, Refresh::no, streams, facts);
  };
  return stoppable(workplace, prepare);
}

}  // namespace pinwheel::cli
