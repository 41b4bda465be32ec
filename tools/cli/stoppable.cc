#include "cli/stoppable.h"

#include <atomic>
#include <csignal>
#include <stop_token>

#include "host/signals.h"

namespace pinwheel::cli {

Done stoppable(host::Workplace& workplace, const std::function<Done()>& prepare) {
  std::stop_source stop;
  std::atomic<int> signal = 0;
  Done done;
  {
    const host::SignalWatcher watcher([&](int number) {
      signal = number;
      stop.request_stop();
    });
    workplace.stop = stop.get_token();
    done = prepare();
    workplace.stop = {};
  }
  if (signal == 0) return done;
  return fail(signal == SIGINT ? ErrorKind::interrupted : ErrorKind::terminated,
              "stopped before the first step", "nothing is left behind; run it again");
}

}  // namespace pinwheel::cli
