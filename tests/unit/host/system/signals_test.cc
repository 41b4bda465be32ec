#include "host/system/signals.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <future>

#include "unit/catch.h"

using namespace pinwheel;

TEST_CASE("the first signal is reported and leaves the process running") {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    std::promise<int> received;
    const host::SignalWatcher watcher([&](int seen) { received.set_value(seen); });
    kill(getpid(), number);
    CHECK(received.get_future().get() == number);
  }
}

TEST_CASE("the second signal ends the process immediately") {
  const pid_t child = fork();
  if (child == 0) {
    std::promise<void> received;
    const host::SignalWatcher watcher([&](int) { received.set_value(); });
    kill(getpid(), SIGTERM);
    received.get_future().wait();
    kill(getpid(), SIGINT);
    for (;;) pause();
  }
  REQUIRE(child > 0);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 130);
}

TEST_CASE("the signals are restored when the watcher is destroyed") {
  {
    const host::SignalWatcher watcher([](int) {});
  }
  sigset_t mask;
  pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  CHECK(sigismember(&mask, SIGINT) == 0);
  CHECK(sigismember(&mask, SIGTERM) == 0);
}

TEST_CASE(
    "without descriptors the signals keep their default action, and the watcher can be destroyed") {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    signal(SIGTERM, SIG_DFL);  // the test framework handles it
    const rlimit none = {0, 0};
    setrlimit(RLIMIT_NOFILE, &none);
    {
      const host::SignalWatcher watcher([](int) { _exit(1); });
    }
    const host::SignalWatcher watcher([](int) { _exit(1); });
    kill(getpid(), SIGTERM);
    _exit(0);
  }
  REQUIRE(child > 0);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGTERM);
}
