#include "cli/stoppable.h"

#include <unistd.h>

#include <csignal>
#include <thread>

#include "unit/catch.h"

namespace pinwheel::cli {
namespace {

/// Work that a signal comes to, and that ends when it is told to stop.
Done end_when_told(const host::Workplace& workplace, int signal) {
  ::kill(::getpid(), signal);
  while (!workplace.stop.stop_requested()) std::this_thread::yield();
  return fail(ErrorKind::environment, "a process was stopped");
}

TEST_CASE("a signal ends what is prepared, and its number decides the kind") {
  host::Workplace workplace;
  const Done interrupted = stoppable(workplace, [&] { return end_when_told(workplace, SIGINT); });
  REQUIRE_FALSE(interrupted);
  CHECK(interrupted.error().kind == ErrorKind::interrupted);
  const Done terminated = stoppable(workplace, [&] { return end_when_told(workplace, SIGTERM); });
  REQUIRE_FALSE(terminated);
  CHECK(terminated.error().kind == ErrorKind::terminated);
  CHECK(exit_code(terminated.error().kind) == 143);
}

TEST_CASE("what is prepared without a signal keeps its result") {
  host::Workplace workplace;
  CHECK(stoppable(workplace, [] { return Done(); }));
  const Done failed = stoppable(workplace, [&]() -> Done {
    CHECK(workplace.stop.stop_possible());
    return fail(ErrorKind::config, "no such package");
  });
  REQUIRE_FALSE(failed);
  CHECK(failed.error().message == "no such package");
  CHECK_FALSE(workplace.stop.stop_possible());
}

}  // namespace
}  // namespace pinwheel::cli
