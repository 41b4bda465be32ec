#include "cli/stoppable.h"

namespace pinwheel::cli {

Error stopped_by(int signal) {
  return {kind_of_stop(signal), "stopped before the first step", std::nullopt,
          "nothing is left behind; run it again"};
}

}  // namespace pinwheel::cli
