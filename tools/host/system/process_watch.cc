#include "host/system/process_watch.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <ctime>
#include <exception>
#include <mutex>
#include <string_view>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <utility>

#include "host/system/open_regular.h"
#include "host/system/unique_fd.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

constexpr milliseconds kLeastPause(5);
constexpr milliseconds kMostPause(1000);
/// The reciprocal of 0.5%.
constexpr int64_t kPausePerRound = 200;
/// Deeper trees, and more processes, are not those of a build.
constexpr size_t kMostDepth = 64;
constexpr size_t kMostCommandsWatched = 200'000;
/// A link can have a million arguments; the name of its output is among the first.
constexpr size_t kMostArguments = 16 << 10;

std::vector<std::string> arguments_of(pid_t pid) {
  const std::string text = first_bytes(fmt::format("/proc/{}/cmdline", pid), kMostArguments);
  std::vector<std::string> argv;
  size_t at = 0;
  while (at < text.size()) {
    const size_t end = std::min(text.find('\0', at), text.size());
    argv.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return argv;
}

/// Each number is followed by a space: one that is not may have been cut.
void add_numbers(std::string_view text, std::vector<pid_t>& numbers) {
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    pid_t number = 0;
    const auto [after, error] = std::from_chars(at, end, number);
    if (error == std::errc{} && after < end) numbers.push_back(number);
    at = std::max(after, at) + 1;
  }
}

/// The children of all threads of a process.
std::vector<pid_t> children_of(pid_t pid) {
  constexpr size_t kMostChildren = 16 << 10;
  std::vector<pid_t> children;
  const std::string tasks = fmt::format("/proc/{}/task", pid);
  DIR* const directory = ::opendir(tasks.c_str());
  if (directory == nullptr) return children;
  while (const dirent* const task = ::readdir(directory)) {
    const std::string_view name(task->d_name);
    if (name.starts_with('.')) continue;
    add_numbers(first_bytes(fmt::format("{}/{}/children", tasks, name), kMostChildren), children);
  }
  ::closedir(directory);
  return children;
}

nanoseconds clock_now(clockid_t clock) {
  timespec time = {};
  ::clock_gettime(clock, &time);
  return std::chrono::seconds(time.tv_sec) + nanoseconds(time.tv_nsec);
}

WatchTime wall_now() {
  return std::chrono::floor<milliseconds>(std::chrono::system_clock::now());
}

/// When a process started; now if that is not known. The kernel counts clock ticks since it booted.
WatchTime start_of(pid_t pid) {
  constexpr int kStartField = 22;  // proc(5)
  constexpr size_t kMostStat = 4096;
  const std::string text = first_bytes(fmt::format("/proc/{}/stat", pid), kMostStat);
  // The name of the program, field 2, may have spaces and parentheses.
  std::string_view rest(text);
  const size_t name_end = rest.rfind(')');
  if (name_end == std::string_view::npos) return wall_now();
  rest.remove_prefix(name_end + 1);
  for (int field = 3; field < kStartField; ++field) {
    const size_t space = rest.find(' ', 1);
    if (space == std::string_view::npos) return wall_now();
    rest.remove_prefix(space);
  }
  rest.remove_prefix(1);
  int64_t ticks = 0;
  if (std::from_chars(rest.data(), rest.data() + rest.size(), ticks).ec != std::errc{}) {
    return wall_now();
  }
  // Both at once: a thread that waits for a processor between them would move the start.
  const nanoseconds since_boot = clock_now(CLOCK_BOOTTIME);
  const WatchTime now = wall_now();
  const nanoseconds started(ticks * (1'000'000'000 / ::sysconf(_SC_CLK_TCK)));
  if (started > since_boot) return now;
  return now - std::chrono::floor<milliseconds>(since_boot - started);
}

UniqueFd new_wake() {
  UniqueFd wake(::eventfd(0, EFD_CLOEXEC));
  // Without it, the thread could not be ended.
  if (!wake.valid()) throw std::system_error(errno, std::generic_category(), "eventfd");
  return wake;
}

}  // namespace

class ProcessWatch::Rounds {
 public:
  Rounds(WatchCallbacks callbacks, int cores)
      : callbacks_(std::move(callbacks)),
        cores_(std::max(cores, 1)),
        children_(fmt::format("/proc/self/task/{}/children", ::gettid())),
        wake_(new_wake()),
        thread_([this] { watch(); }) {}

  ~Rounds() { finish(); }
  Rounds(const Rounds&) = delete;
  Rounds& operator=(const Rounds&) = delete;

  void follow(pid_t process) {
    UniqueFd handle(static_cast<int>(::syscall(SYS_pidfd_open, process, 0)));
    if (!handle.valid()) return;
    const std::scoped_lock lock(mutex_);
    followed_.push_back({process, std::move(handle)});
  }

  std::vector<WatchedCommand> finish() {
    if (thread_.joinable()) {
      const uint64_t one = 1;
      // A counter of 0 accepts it.
      static_cast<void>(::write(wake_.get(), &one, sizeof one) == sizeof one);
      thread_.join();
    }
    return std::move(ended_);
  }

 private:
  struct Running {
    WatchRole role = WatchRole::command;
    WatchedCommand command = {};
    UniqueFd handle = {};     ///< readable when it has ended; invalid if the kernel has none
    UniqueFd directory = {};  ///< of a builder
    std::vector<std::string> argv = {};  ///< of a builder
    size_t round = 0;                    ///< in which it was met last
  };

  struct Followed {
    pid_t process = 0;
    UniqueFd handle = {};
  };

  /// The processes of `follow` that still run.
  std::vector<pid_t> followed() {
    const std::scoped_lock lock(mutex_);
    std::erase_if(followed_, [](const Followed& one) { return has_ended(one.handle); });
    std::vector<pid_t> processes;
    processes.reserve(followed_.size());
    for (const Followed& one : followed_) processes.push_back(one.process);
    return processes;
  }

  void watch() {
    ::pthread_setname_np(::pthread_self(), "command-watch");
    try {
      while (wait_for(pause_)) {
        const nanoseconds before = clock_now(CLOCK_THREAD_CPUTIME_ID);
        look();
        const nanoseconds spent = clock_now(CLOCK_THREAD_CPUTIME_ID) - before;
        pause_ = std::clamp(std::chrono::ceil<milliseconds>(spent * kPausePerRound / cores_),
                            kLeastPause, kMostPause);
      }
      while (!running_.empty()) end(running_.begin()->first);
    } catch (const std::exception&) {
      // Without memory or descriptors a build must go on; its trace has what was found so far.
      running_.clear();
    }
  }

  /// One round.
  void look() {
    ++round_;
    std::vector<pid_t> roots;
    add_numbers(first_bytes(children_, 4 << 10), roots);
    for (const pid_t root : roots) visit(root, nullptr, 0);
    for (const pid_t root : followed()) visit(root, nullptr, 0);
    std::vector<pid_t> gone;
    for (const auto& [pid, one] : running_) {
      if (!one.handle.valid() && one.round != round_) gone.push_back(pid);
    }
    for (const pid_t pid : gone) end(pid);
  }

  void visit(pid_t pid, const Running* builder, size_t depth) {
    if (depth > kMostDepth) return;
    const auto known = running_.find(pid);
    if (known != running_.end()) {
      known->second.round = round_;
      if (known->second.role == WatchRole::command) return;
      read_directory(pid, known->second);
      // The number may be that of another process by now, which the next round judges.
      if (has_ended(known->second.handle)) return;
      builder = &known->second;
    } else {
      const std::vector<std::string> argv = arguments_of(pid);
      if (argv.empty()) return;
      const WatchRole role = callbacks_.judge(argv);
      if (role == WatchRole::ignored) return;
      if (role != WatchRole::parent) {
        // A process that a builder has forked has its arguments until it starts another program.
        if (builder != nullptr && builder->argv == argv) return;
        const Running* const begun = begin(pid, role, argv, builder);
        if (begun == nullptr || role == WatchRole::command) return;
        builder = begun;
      }
    }
    for (const pid_t child : children_of(pid)) visit(child, builder, depth + 1);
  }

  /// Null if there are too many, or if the process has ended.
  const Running* begin(pid_t pid, WatchRole role, const std::vector<std::string>& argv,
                       const Running* builder) {
    if (ended_.size() + running_.size() >= kMostCommandsWatched) return nullptr;
    Running one;
    one.role = role;
    one.handle = UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    if (!one.handle.valid() && errno == ESRCH) return nullptr;
    // The handle may be that of a process that has got the number since; one that has just ended
    // has no arguments.
    const std::vector<std::string> present = arguments_of(pid);
    if (!present.empty() && present != argv) return nullptr;
    one.command.start = start_of(pid);
    if (builder != nullptr) one.command.builder = builder->command.id;
    one.round = round_;
    if (one.role == WatchRole::builder) {
      one.argv = argv;
      read_directory(pid, one);
    }
    one.command.id = callbacks_.begun(argv);
    return &running_.insert_or_assign(pid, std::move(one)).first->second;
  }

  static bool has_ended(const UniqueFd& handle) {
    if (!handle.valid()) return false;
    pollfd ended = {handle.get(), POLLIN, 0};
    return ::poll(&ended, 1, 0) > 0;
  }

  /// A builder enters its directory only after it has started.
  static void read_directory(pid_t pid, Running& builder) {
    UniqueFd directory(
        ::open(fmt::format("/proc/{}/cwd", pid).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (directory.valid() && !has_ended(builder.handle)) builder.directory = std::move(directory);
  }

  void end(pid_t pid) {
    const auto found = running_.find(pid);
    if (found == running_.end()) return;
    Running one = std::move(found->second);
    running_.erase(found);
    one.command.end = std::max(wall_now(), one.command.start);
    if (one.role == WatchRole::command) {
      ended_.push_back(one.command);
    } else if (one.directory.valid() && callbacks_.builder_ended) {
      callbacks_.builder_ended(one.command.id,
                               fmt::format("/proc/self/fd/{}", one.directory.get()));
    }
  }

  /// Waits that long, and meanwhile records what ends. False when the watch is to stop.
  bool wait_for(milliseconds pause) {
    const auto until = std::chrono::steady_clock::now() + pause;
    for (;;) {
      std::vector<pollfd> handles = {{wake_.get(), POLLIN, 0}};
      std::vector<pid_t> pids = {0};
      for (const auto& [pid, one] : running_) {
        if (!one.handle.valid()) continue;
        handles.push_back({one.handle.get(), POLLIN, 0});
        pids.push_back(pid);
      }
      const auto left =
          std::chrono::ceil<milliseconds>(until - std::chrono::steady_clock::now()).count();
      if (left <= 0) return true;
      if (::poll(handles.data(), handles.size(), static_cast<int>(left)) < 0 && errno != EINTR) {
        return false;
      }
      if (handles[0].revents != 0) return false;
      for (size_t i = 1; i < handles.size(); ++i) {
        if (handles[i].revents != 0) end(pids[i]);
      }
    }
  }

  const WatchCallbacks callbacks_;
  const int cores_;
  const std::string children_;  ///< of the thread whose processes are watched
  UniqueFd wake_;
  milliseconds pause_ = kLeastPause;
  size_t round_ = 0;
  std::unordered_map<pid_t, Running> running_;
  std::mutex mutex_;
  std::vector<Followed> followed_;  ///< guarded by mutex_
  std::vector<WatchedCommand> ended_;
  std::thread thread_;  ///< last: it uses the others
};

ProcessWatch::ProcessWatch(WatchCallbacks callbacks, int cores)
    : rounds_(std::make_unique<Rounds>(std::move(callbacks), cores)) {}

ProcessWatch::~ProcessWatch() = default;

void ProcessWatch::follow(pid_t process) {
  rounds_->follow(process);
}

std::vector<WatchedCommand> ProcessWatch::stop() {
  return rounds_->finish();
}

}  // namespace pinwheel::host
