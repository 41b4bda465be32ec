#include "host/system/signals.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <utility>

#include "base/error.h"

namespace pinwheel::host {
namespace {

sigset_t watched() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, number);
  return set;
}

}  // namespace

SignalWatcher::SignalWatcher(std::function<void(int)> on_first) : on_first_(std::move(on_first)) {
  const sigset_t set = watched();
  signals_ = UniqueFd(::signalfd(-1, &set, SFD_CLOEXEC));
  stop_ = UniqueFd(::eventfd(0, EFD_CLOEXEC));
  // If blocked signals were never read, the process would ignore Ctrl-C.
  if (!signals_.valid() || !stop_.valid()) return;
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  thread_ = std::thread([this] { watch(); });
}

SignalWatcher::~SignalWatcher() {
  if (!thread_.joinable()) return;
  const uint64_t one = 1;
  while (::write(stop_.get(), &one, sizeof one) < 0 && errno == EINTR) {
  }
  thread_.join();
  const sigset_t set = watched();
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

void SignalWatcher::watch() {
  for (int seen = 0;;) {
    std::array<pollfd, 2> fds = {pollfd{signals_.get(), POLLIN, 0}, pollfd{stop_.get(), POLLIN, 0}};
    if (::poll(fds.data(), fds.size(), -1) < 0) continue;
    if (fds[0].revents != 0) {
      signalfd_siginfo info = {};
      if (::read(signals_.get(), &info, sizeof info) != sizeof info) continue;
      const int number = static_cast<int>(info.ssi_signo);
      if (++seen > 1) ::_exit(exit_code(kind_of_stop(number)));
      on_first_(number);
    }
    if (fds[1].revents != 0) return;
  }
}

}  // namespace pinwheel::host
