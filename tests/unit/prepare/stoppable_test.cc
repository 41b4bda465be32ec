#include "prepare/stoppable.h"

#include <unistd.h>

#include <csignal>
#include <thread>

#include "unit/catch.h"

namespace pinwheel::prepare {
namespace {

/// Work that receives a signal, and ends when requested to stop.
std::function<Done(std::stop_token)> ended_by(int signal) {
  return [signal](const std::stop_token& stop) -> Done {
    ::kill(::getpid(), signal);
    while (!stop.stop_requested()) std::this_thread::yield();
    return fail(ErrorKind::environment, "a process was stopped");
  };
}

TEST_CASE("a signal ends the preparation, and its number decides the error kind") {
  const Done interrupted = stoppable<void>(ended_by(SIGINT));
  REQUIRE_FALSE(interrupted);
  CHECK(interrupted.error().kind == ErrorKind::interrupted);
  const Done terminated = stoppable<void>(ended_by(SIGTERM));
  REQUIRE_FALSE(terminated);
  CHECK(terminated.error().kind == ErrorKind::terminated);
  CHECK(exit_code(terminated.error().kind) == 143);
}

TEST_CASE("without a signal the result of the preparation is returned") {
  const Result<int> prepared = stoppable<int>([](const std::stop_token&) { return 7; });
  REQUIRE(prepared);
  CHECK(*prepared == 7);
  const Done failed = stoppable<void>([](const std::stop_token& stop) -> Done {
    CHECK(stop.stop_possible());
    return fail(ErrorKind::config, "no such package");
  });
  REQUIRE_FALSE(failed);
  CHECK(failed.error().message == "no such package");
}

}  // namespace
}  // namespace pinwheel::prepare
