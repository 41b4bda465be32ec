#include "cli/stoppable.h"

#include <csignal>

namespace pinwheel::cli {

Error stopped_by(int signal) {
  return {signal == SIGINT ? ErrorKind::interrupted : ErrorKind::terminated,
          "stopped before the first step", std::nullopt, "nothing is left behind; run it again"};
}

}  // namespace pinwheel::cli
