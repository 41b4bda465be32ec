#include "prepare/stoppable.h"

namespace pinwheel::prepare {

Error stopped_by(int signal) {
  return {kind_of_stop(signal), "stopped before the first step", std::nullopt,
          "nothing is left behind; run it again"};
}

}  // namespace pinwheel::prepare
