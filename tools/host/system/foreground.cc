#include "host/system/foreground.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <ctime>
#include <string>
#include <vector>

#include "base/exec_arguments.h"
#include "host/system/mount_namespace.h"
#include "host/system/program.h"
#include "host/system/system_error.h"
#include "host/system/unique_fd.h"

namespace pinwheel::host {
namespace {

constexpr std::array kWatched = {SIGCHLD, SIGINT, SIGQUIT, SIGTERM, SIGHUP};
constexpr timespec kGrace = {1, 0};

/// Blocks the watched signals and receives them synchronously while it exists.
class WatchedSignals {
 public:
  WatchedSignals() {
    sigemptyset(&watched_);
    for (const int number : kWatched) sigaddset(&watched_, number);
    pthread_sigmask(SIG_BLOCK, &watched_, &old_);
  }
  ~WatchedSignals() { pthread_sigmask(SIG_SETMASK, &old_, nullptr); }
  WatchedSignals(const WatchedSignals&) = delete;
  WatchedSignals& operator=(const WatchedSignals&) = delete;

  /// The next signal; 0 if none arrived in time.
  int wait(bool until_grace_ends) const {
    int number = -1;
    do {
      number = until_grace_ends ? sigtimedwait(&watched_, nullptr, &kGrace)
                                : sigwaitinfo(&watched_, nullptr);
    } while (number < 0 && errno == EINTR);
    return number < 0 ? 0 : number;
  }

 private:
  sigset_t watched_ = {};
  sigset_t old_ = {};
};

/// The terminal on stdin: its modes, and its foreground process group.
class Terminal {
 public:
  Terminal() : is_one_(::isatty(STDIN_FILENO) == 1 && ::tcgetattr(STDIN_FILENO, &modes_) == 0) {}
  ~Terminal() {
    if (!is_one_) return;
    take();
    // A killed client leaves it in raw mode.
    ::tcsetattr(STDIN_FILENO, TCSADRAIN, &modes_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  void take() const { give(::getpgrp()); }

  void give(pid_t group) const {
    if (!is_one_ || ::tcgetpgrp(STDIN_FILENO) == group) return;
    // A background process may set the foreground group only while it ignores this signal.
    struct sigaction ignore = {};
    struct sigaction old = {};
    ignore.sa_handler = SIG_IGN;
    ::sigaction(SIGTTOU, &ignore, &old);
    ::tcsetpgrp(STDIN_FILENO, group);
    ::sigaction(SIGTTOU, &old, nullptr);
  }

 private:
  termios modes_ = {};
  bool is_one_ = false;
};

/// In the child, just after the fork: only async-signal-safe calls.
[[noreturn]] void become(const char* program, char* const* argv, char* const* environ,
                         const char* directory, int trouble) {
  ::prctl(PR_SET_PDEATHSIG, SIGHUP);
  for (const int number : {SIGCHLD, SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE}) {
    ::signal(number, SIG_DFL);
  }
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (directory == nullptr || ::chdir(directory) == 0) ::execve(program, argv, environ);
  const int number = errno;
  static_cast<void>(!::write(trouble, &number, sizeof number));
  ::_exit(127);
}

ports::Exit exit_of(int status) {
  if (WIFSIGNALED(status)) return {.signal = WTERMSIG(status)};
  return {.code = WEXITSTATUS(status)};
}

/// Stops together with the suspended program, and continues together with it.
void suspend(const Terminal& terminal, pid_t pid) {
  const pid_t group = ::getpgid(pid);
  terminal.take();
  ::raise(SIGSTOP);
  terminal.give(group);
  ::kill(group == ::getpgrp() ? pid : -group, SIGCONT);
}

ports::Exit follow(pid_t pid, const WatchedSignals& signals, const Terminal& terminal,
                   Interrupts interrupts) {
  bool ending = false;
  for (;;) {
    int status = 0;
    const pid_t changed = ::waitpid(pid, &status, WNOHANG | WUNTRACED);
    if (changed == pid && WIFSTOPPED(status)) {
      suspend(terminal, pid);
      continue;
    }
    if (changed == pid) return exit_of(status);
    const int number = signals.wait(ending);
    if (number == 0) ::kill(pid, SIGKILL);
    const bool asked = number == SIGTERM || number == SIGHUP ||
                       (number == SIGINT && interrupts == Interrupts::end_it);
    if (!asked) continue;
    ::kill(pid, number);
    ending = true;
  }
}

}  // namespace

Result<ports::Exit> run_in_foreground(const ports::Command& asked, Interrupts interrupts) {
  const ports::Command command = in_mount_namespace(asked);
  TRY(const std::string program, find_program(command.argv.at(0), command.environment));
  const ExecArguments argv(command.argv);
  const ExecArguments environ(command.environment);
  const char* const directory = command.directory.empty() ? nullptr : command.directory.c_str();
  std::array<int, 2> ends = {-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return fail(system_error("made", "a pipe", errno));
  const UniqueFd trouble(ends[0]);
  UniqueFd trouble_writer(ends[1]);
  const Terminal terminal;
  const WatchedSignals signals;
  const pid_t pid = ::fork();
  if (pid == 0)
    become(program.c_str(), argv.data(), environ.data(), directory, trouble_writer.get());
  const int number = errno;
  trouble_writer.reset();
  int child_number = 0;
  const bool failed = pid < 0 || ::read(trouble.get(), &child_number, sizeof child_number) > 0;
  if (!failed) return follow(pid, signals, terminal, interrupts);
  if (pid > 0) ::waitpid(pid, nullptr, 0);
  Error error = system_error("started", program, pid < 0 ? number : child_number);
  error.kind = ErrorKind::environment;
  return fail(std::move(error));
}

}  // namespace pinwheel::host
