#include "host/system/secluded.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "host/system/unique_fd.h"

namespace pinwheel::host {
namespace {

bool write_text(const char* path, const std::string& text) {
  const UniqueFd file(::open(path, O_WRONLY | O_CLOEXEC));
  return file.valid() &&
         ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

/// Lives until its parent has opened its namespace.
[[noreturn]] void hold_user_namespace(int ready, int done, unsigned user, unsigned group) {
  // The group map of a user other than root needs the second line first (user_namespaces(7)).
  const bool made = ::unshare(CLONE_NEWUSER) == 0 && write_text("/proc/self/setgroups", "deny") &&
                    write_text("/proc/self/uid_map", fmt::format("{0} {0} 1", user)) &&
                    write_text("/proc/self/gid_map", fmt::format("{0} {0} 1", group));
  char byte = 0;
  if (made && ::write(ready, &byte, 1) == 1) {
    while (::read(done, &byte, 1) < 0 && errno == EINTR) {
    }
  }
  ::_exit(0);
}

UniqueFd make_user_namespace() {
  // Root writes the maps of its processes whether they are dumpable or not.
  if (::geteuid() == 0) return {};
  std::array<int, 2> ready = {-1, -1};
  std::array<int, 2> done = {-1, -1};
  if (::pipe2(ready.data(), O_CLOEXEC) != 0) return {};
  const UniqueFd is_ready(ready[0]);
  UniqueFd ready_writer(ready[1]);
  if (::pipe2(done.data(), O_CLOEXEC) != 0) return {};
  const UniqueFd is_done(done[0]);
  UniqueFd done_writer(done[1]);
  const unsigned user = ::geteuid();
  const unsigned group = ::getegid();
  const pid_t holder = ::fork();
  if (holder < 0) return {};
  if (holder == 0) {
    done_writer.reset();
    hold_user_namespace(ready_writer.get(), is_done.get(), user, group);
  }
  ready_writer.reset();
  char byte = 0;
  UniqueFd made;
  if (::read(is_ready.get(), &byte, 1) == 1) {
    made = UniqueFd(::open(fmt::format("/proc/{}/ns/user", holder).c_str(), O_RDONLY | O_CLOEXEC));
  }
  done_writer.reset();
  while (::waitpid(holder, nullptr, 0) < 0 && errno == EINTR) {
  }
  return made;
}

/// The descriptor belongs to the process, as its environment does.
UniqueFd& user_namespace() {
  static UniqueFd descriptor;
  return descriptor;
}

void move_environment() {
  // Never freed: code that runs at exit may read a variable.
  auto* const entries = new std::vector<char*>;
  // glibc's own name: a linker that copies `environ` into the program may leave it unset there.
  for (char** entry = __environ; *entry != nullptr; ++entry) {
    entries->push_back(::strdup(*entry));
    ::explicit_bzero(*entry, std::strlen(*entry));
  }
  entries->push_back(nullptr);
  __environ = entries->data();
}

}  // namespace

void open_missing_descriptors() {
  for (int number = STDIN_FILENO; number <= STDERR_FILENO; ++number) {
    if (::fcntl(number, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest free number is this one. A program that cannot open /dev/null ends.
    if (::open("/dev/null", O_RDWR) != number) ::_exit(70);
  }
}

void seclude_process() {
  user_namespace() = make_user_namespace();
  move_environment();
  ::prctl(PR_SET_DUMPABLE, 0);
}

int prepared_user_namespace() {
  return user_namespace().get();
}

}  // namespace pinwheel::host
