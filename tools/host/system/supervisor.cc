// A process between pinwheel and a program it runs. A parent-death signal reaches direct children
// only, so a SIGKILL of pinwheel would leave the program's children behind; this process is
// notified of pinwheel's death, reaps every descendant, and kills until none is left.
//
// It is forked from a program with threads and never executes anything, so it may only make
// async-signal-safe calls: no allocation, no locks, no C++ runtime.
#include "host/system/supervisor.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace pinwheel::host {
namespace {

constexpr int kVerdictFd = 3;
constexpr int kNamespaceFd = 4;
constexpr int64_t kDrainLimitMs = 5000;  // then gives up on a process in an uninterruptible call

static_assert(kStopGently == SIGTERM && kStopNow == SIGHUP);

int64_t now_ms() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

int64_t milliseconds_of(const timeval& time) {
  return int64_t{time.tv_sec} * 1000 + time.tv_usec / 1000;
}

void report(Verdict::Kind kind, int value) {
  rusage used = {};
  getrusage(RUSAGE_CHILDREN, &used);
  const int64_t cpu_ms = milliseconds_of(used.ru_utime) + milliseconds_of(used.ru_stime);
  const Verdict verdict{kind, value, used.ru_maxrss, cpu_ms};
  while (write(kVerdictFd, &verdict, sizeof verdict) < 0 && errno == EINTR) {
  }
}

void default_signals() {
  struct sigaction action = {};
  action.sa_handler = SIG_DFL;
  for (int number = 1; number < 32; ++number) sigaction(number, &action, nullptr);
}

/// Waits for one of the signals; 0 after `limit_ms` (negative: no limit).
int wait_signal(int64_t limit_ms) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  sigaddset(&set, kStopGently);
  sigaddset(&set, kStopNow);
  const timespec limit = {limit_ms / 1000, (limit_ms % 1000) * 1'000'000};
  const int number =
      limit_ms < 0 ? sigwaitinfo(&set, nullptr) : sigtimedwait(&set, nullptr, &limit);
  return number < 0 ? 0 : number;
}

bool write_file(const char* path, const char* text) {
  const int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  const size_t length = strlen(text);
  const bool written = write(file, text, length) == static_cast<ssize_t>(length);
  close(file);
  return written;
}

/// Enters a user namespace with the same ids: the prepared one, else a new one.
bool enter_user_namespace(const Supervised& work) {
  if (work.user_namespace >= 0) return setns(kNamespaceFd, CLONE_NEWUSER) == 0;
  // The group map of a user other than root needs the second line first (user_namespaces(7)).
  return unshare(CLONE_NEWUSER) == 0 && write_file("/proc/self/setgroups", "deny") &&
         write_file("/proc/self/uid_map", work.uid_map) &&
         write_file("/proc/self/gid_map", work.gid_map);
}

/// Leaves the machine's network for one with only a loopback device, which is started. Without the
/// privilege, it uses a user namespace.
bool leave_network(const Supervised& work) {
  if (unshare(CLONE_NEWNET) != 0 && (!enter_user_namespace(work) || unshare(CLONE_NEWNET) != 0)) {
    return false;
  }
  const int device = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (device < 0) return false;
  ifreq request = {};
  memcpy(static_cast<char*>(request.ifr_name), "lo", 3);
  bool started = ioctl(device, SIOCGIFFLAGS, &request) == 0;
  request.ifr_flags = static_cast<int16_t>(request.ifr_flags | IFF_UP);
  started = started && ioctl(device, SIOCSIFFLAGS, &request) == 0;
  close(device);
  return started;
}

[[noreturn]] void become(const Supervised& work, pid_t supervisor) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != supervisor) _exit(127);
  setpgid(0, 0);
  default_signals();
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (work.directory != nullptr && chdir(work.directory) != 0) {
    report(Verdict::Kind::no_directory, errno);
    _exit(127);
  }
  // Without it, root cannot read the memory of pinwheel, which is not dumpable, either.
  if (!work.traces_as_root) prctl(PR_CAPBSET_DROP, CAP_SYS_PTRACE);
  if (work.loopback_only && !leave_network(work)) {
    report(Verdict::Kind::no_network, errno);
    _exit(127);
  }
  execve(work.program, work.argv, work.environ);
  report(Verdict::Kind::no_program, errno);
  _exit(127);
}

/// Kills all current children of this process in any process group: those that left the program's
/// group were adopted when their parents died.
void kill_children() {
  const int list = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
  if (list < 0) return;
  std::array<char, 4096> text = {};
  pid_t pid = 0;
  for (ssize_t got = 0; (got = read(list, text.data(), text.size())) > 0;) {
    for (ssize_t i = 0; i < got; ++i) {
      const char c = text[static_cast<size_t>(i)];
      if (c >= '0' && c <= '9') {
        pid = pid * 10 + (c - '0');
        continue;
      }
      if (pid > 1) kill(pid, SIGKILL);
      pid = 0;
    }
  }
  if (pid > 1) kill(pid, SIGKILL);
  close(list);
}

/// Reaps exited children; true while any child is left. Sets `status` and `ended` if `program` was
/// among them.
bool reap(pid_t program, int& status, bool& ended) {
  for (;;) {
    int one = 0;
    const pid_t pid = waitpid(-1, &one, WNOHANG);
    if (pid == 0) return true;
    if (pid < 0) return false;
    if (pid != program) continue;
    status = one;
    ended = true;
  }
}

/// Each round kills a generation; its children are then adopted and die in the next.
void drain(pid_t program, int& status, bool& ended) {
  const int64_t limit = now_ms() + kDrainLimitMs;
  while (now_ms() < limit) {
    kill(-program, SIGKILL);
    kill_children();
    if (!reap(program, status, ended)) return;
    wait_signal(20);
  }
}

/// Waits until the program exits, is stopped, or pinwheel dies.
void follow(const Supervised& work, pid_t program, int& status, bool& ended) {
  int64_t kill_at = -1;
  for (;;) {
    reap(program, status, ended);
    if (ended) return;
    const int64_t left = kill_at < 0 ? -1 : kill_at - now_ms();
    if (kill_at >= 0 && left <= 0) return;
    const int number = wait_signal(left);
    if (number == kStopNow) return;
    if (number == kStopGently && kill_at < 0) {
      kill(-program, SIGTERM);
      kill(-program, SIGCONT);
      kill_at = now_ms() + work.grace_ms;
    }
  }
}

}  // namespace

void supervise(const Supervised& work) {
  prctl(PR_SET_PDEATHSIG, kStopNow);
  if (getppid() != work.parent) _exit(127);
  // A signal to pinwheel's whole group must not reach the supervisor, and a program that asks for a
  // password must fail: the kernel would stop it in the background of pinwheel's terminal.
  setsid();
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  default_signals();
  // Pinwheel's descriptors, including the journal's lock, must not outlive it in this process.
  dup2(work.in, 0);
  dup2(work.out, 1);
  dup2(work.err, 2);
  dup2(work.verdict, kVerdictFd);
  fcntl(kVerdictFd, F_SETFD, FD_CLOEXEC);
  if (work.user_namespace >= 0) {
    dup2(work.user_namespace, kNamespaceFd);
    fcntl(kNamespaceFd, F_SETFD, FD_CLOEXEC);
  }
  closefrom(work.user_namespace >= 0 ? kNamespaceFd + 1 : kVerdictFd + 1);

  const pid_t self = getpid();
  const pid_t program = fork();
  if (program == 0) become(work, self);
  if (program < 0) {
    report(Verdict::Kind::no_program, errno);
    _exit(127);
  }
  setpgid(program, program);
  // A pipe left open here would keep its reader waiting for a writer that never writes.
  close(1);
  close(2);
  int status = 0;
  bool ended = false;
  follow(work, program, status, ended);
  drain(program, status, ended);
  report(Verdict::Kind::ended, ended ? status : SIGKILL);
  _exit(0);
}

}  // namespace pinwheel::host
