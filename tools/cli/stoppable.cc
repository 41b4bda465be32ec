#include "cli/stoppable.h"

#include <csignal>

#include "host/system/stop_on_signal.h"

namespace pinwheel::cli {

Done stoppable(host::Workplace& workplace, const std::function<Done()>& prepare) {
  host::StopOnSignal stop;
  workplace.stop = stop.token();
  Done done = prepare();
  workplace.stop = {};
  const int signal = stop.end();
  if (signal == 0) return done;
  return fail(signal == SIGINT ? ErrorKind::interrupted : ErrorKind::terminated,
              "stopped before the first step", "nothing is left behind; run it again");
}

}  // namespace pinwheel::cli
