// What libstdc++ and pinwheel call of newer glibcs, made of what 2.28 has. Linked into static
// builds alone.
#include <fcntl.h>
#include <pthread.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <ctime>

#define PINWHEEL_HIDDEN extern "C" __attribute__((visibility("hidden")))

namespace {

constexpr long kSecond = 1'000'000'000;

timespec now(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return time;
}

/// Nanoseconds until `deadline`, from none to a second.
long left_until(const timespec& deadline, const timespec& time) {
  const long seconds = std::clamp(deadline.tv_sec - time.tv_sec, -2L, 2L);
  return std::clamp(seconds * kSecond + deadline.tv_nsec - time.tv_nsec, 0L, kSecond);
}

}  // namespace

/// 2.32. A program that takes itself for threaded is always right.
PINWHEEL_HIDDEN char __libc_single_threaded;
char __libc_single_threaded = 0;

/// 2.36.
PINWHEEL_HIDDEN uint32_t arc4random() {
  uint32_t number = 0;
  ssize_t got = 0;
  do {
    got = getrandom(&number, sizeof(number), 0);
  } while (got < 0 && errno == EINTR);
  if (got != sizeof(number)) std::abort();
  return number;
}

/// 2.34. It is called between fork and exec, where nothing may be allocated.
PINWHEEL_HIDDEN void closefrom(int first) {
  constexpr long kCloseRange = 436;  // since Linux 5.9; the headers of older systems lack its name
  if (syscall(kCloseRange, first, ~0U, 0U) == 0) return;
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  const int end = static_cast<int>(std::min<rlim_t>(limit.rlim_cur, 1 << 20));
  for (int file = first; file < end; ++file) close(file);
}

/// 2.30. Condition variables wait by the clock of the day, which may be set: a wait ends after a
/// second at the latest, and whoever called looks at its own clock and waits again, as after any
/// spurious wake-up.
PINWHEEL_HIDDEN int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                           clockid_t clock, const timespec* deadline) {
  const long left = left_until(*deadline, now(clock));
  timespec until = now(CLOCK_REALTIME);
  until.tv_nsec += left;
  until.tv_sec += until.tv_nsec / kSecond;
  until.tv_nsec %= kSecond;
  const int result = pthread_cond_timedwait(condition, mutex, &until);
  return result == ETIMEDOUT && left == kSecond ? 0 : result;
}
