#include "host/machine/container_watch.h"

#include <dirent.h>
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
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/text.h"
#include "host/system/open_regular.h"
#include "host/system/unique_fd.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using SteadyTime = std::chrono::steady_clock::time_point;

constexpr milliseconds kBetweenReadings(200);
constexpr milliseconds kShortestPause(10);
constexpr milliseconds kLongestPause(2000);
/// The pause is this part of the time that the watch has looked for the container.
constexpr int64_t kPausePerSearch = 8;
/// The reciprocal of 5%.
constexpr int64_t kPausePerLook = 20;
/// Files of /proc with a few lines.
constexpr size_t kMostLines = 8 << 10;

/// The numbers of all processes.
std::vector<pid_t> process_numbers(const std::string& processes) {
  std::vector<pid_t> numbers;
  DIR* const directory = ::opendir(processes.c_str());
  if (directory == nullptr) return numbers;
  while (const dirent* const entry = ::readdir(directory)) {
    const std::string_view name(entry->d_name);
    pid_t number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error == std::errc{} && end == name.data() + name.size()) numbers.push_back(number);
  }
  ::closedir(directory);
  return numbers;
}

/// The id in the file of a client; empty if it is not complete. A client makes the file first, and
/// writes the id when it has made the container.
std::string container_id(const fs::path& file) {
  constexpr size_t kDigits = 64;
  const std::string text = first_bytes(file, 2 * kDigits);
  const std::string_view id = trim(text);
  if (id.size() != kDigits) return {};
  const bool valid = id.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  return valid ? std::string(id) : std::string();
}

nanoseconds thread_time() {
  timespec time = {};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + nanoseconds(time.tv_nsec);
}

fs::path new_directory(const fs::path& scratch) {
  std::string place = (scratch / "container-XXXXXX").string();
  if (::mkdtemp(place.data()) == nullptr) {
    throw std::system_error(errno, std::generic_category(), "mkdtemp");
  }
  return place;
}

UniqueFd wake_event() {
  UniqueFd event(::eventfd(0, EFD_CLOEXEC));
  // Without it, the thread could not be ended.
  if (!event.valid()) throw std::system_error(errno, std::generic_category(), "eventfd");
  return event;
}

}  // namespace

class ContainerWatch::Rounds {
 public:
  Rounds(const fs::path& directory, OnRunning on_running, KernelPlaces places)
      : id_file_(directory / "id"),
        on_running_(std::move(on_running)),
        places_(std::move(places)),
        begun_(std::chrono::steady_clock::now()),
        wake_(wake_event()) {
    // They were there before the container.
    for (const pid_t number : process_numbers(places_.processes)) judged_.insert(number);
    thread_ = std::thread([this] { watch(); });
  }

  ~Rounds() { finish(); }
  Rounds(const Rounds&) = delete;
  Rounds& operator=(const Rounds&) = delete;

  const fs::path& id_file() const { return id_file_; }

  ContainerUsage finish() {
    if (thread_.joinable()) {
      const uint64_t one = 1;
      // A counter of 0 accepts it.
      static_cast<void>(::write(wake_.get(), &one, sizeof one) == sizeof one);
      thread_.join();
    }
    return usage_;
  }

 private:
  void watch() {
    ::pthread_setname_np(::pthread_self(), "container-watch");
    try {
      while (!ended_ && wait_for(pause_)) look();
      // A client that was killed leaves its container running.
      if (!ended_) look();
    } catch (const std::exception&) {
      // Without memory the command must go on; what was read so far counts.
    }
  }

  /// One round.
  void look() {
    if (!groups_.any()) find();
    if (!groups_.any()) return;
    // In this order: what is read after the end is complete.
    ended_ = has_ended();
    update_usage(groups_, usage_);
    pause_ = kBetweenReadings;
  }

  void find() {
    const nanoseconds before = thread_time();
    if (id_.empty()) id_ = container_id(id_file_);
    if (!id_.empty()) {
      for (const pid_t number : process_numbers(places_.processes)) {
        if (!judged_.contains(number) && judge(number)) return;
      }
    }
    const nanoseconds spent = thread_time() - before;
    const nanoseconds searched = std::chrono::steady_clock::now() - begun_;
    const auto pause = std::max(spent * kPausePerLook, searched / kPausePerSearch);
    pause_ = std::clamp(std::chrono::ceil<milliseconds>(pause), kShortestPause, kLongestPause);
  }

  /// Whether it is the first process of the container, which is watched from now on.
  bool judge(pid_t number) {
    const std::string place = fmt::format("{}/{}", places_.processes, number);
    if (!is_first_of_namespace(first_bytes(place + "/status", kMostLines))) {
      judged_.insert(number);
      return false;
    }
    // Some runtimes move it to its group only after they have made it: it is judged again.
    if (!groups_at(place).any()) return false;
    handle_ = UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, number, 0)));
    // The handle may be that of a process that has got the number since.
    groups_ = groups_at(place);
    if (!groups_.any()) {
      handle_.reset();
      return false;
    }
    if (on_running_) on_running_(number);
    return true;
  }

  ContainerGroups groups_at(const std::string& place) const {
    return groups_of_container(first_bytes(place + "/cgroup", kMostLines), id_, places_.groups);
  }

  bool has_ended() const {
    if (!handle_.valid()) return false;
    pollfd handle = {handle_.get(), POLLIN, 0};
    return ::poll(&handle, 1, 0) > 0;
  }

  /// Waits that long, or until the container has ended. False when the watch is to stop.
  bool wait_for(milliseconds pause) const {
    const SteadyTime until = std::chrono::steady_clock::now() + pause;
    for (;;) {
      // poll ignores a descriptor that is not valid.
      std::array<pollfd, 2> handles = {pollfd{wake_.get(), POLLIN, 0},
                                       pollfd{handle_.get(), POLLIN, 0}};
      const auto left =
          std::chrono::ceil<milliseconds>(until - std::chrono::steady_clock::now()).count();
      if (left <= 0) return true;
      const int ready = ::poll(handles.data(), handles.size(), static_cast<int>(left));
      if (ready < 0 && errno != EINTR) return false;
      if (ready <= 0) continue;
      return handles[0].revents == 0;
    }
  }

  const fs::path id_file_;
  const OnRunning on_running_;
  const KernelPlaces places_;
  const SteadyTime begun_;
  UniqueFd wake_;
  // Used by the thread; `usage_` is read when it has ended.
  std::string id_;                    ///< of the container; empty: it is not made yet
  std::unordered_set<pid_t> judged_;  ///< processes that are not the container's first one
  ContainerGroups groups_;
  UniqueFd handle_;  ///< readable when the container has ended; invalid if the kernel has none
  bool ended_ = false;
  milliseconds pause_ = kShortestPause;
  ContainerUsage usage_;
  std::thread thread_;
};

ContainerWatch::ContainerWatch(const fs::path& scratch, OnRunning on_running, KernelPlaces places)
    : directory_(new_directory(scratch)),
      rounds_(std::make_unique<Rounds>(directory_.path, std::move(on_running), std::move(places))) {
}

ContainerWatch::~ContainerWatch() = default;

const fs::path& ContainerWatch::id_file() const {
  return rounds_->id_file();
}

ContainerUsage ContainerWatch::stop() {
  return rounds_->finish();
}

ContainerWatch::Directory::~Directory() {
  std::error_code ignored;
  fs::remove_all(path, ignored);
}

}  // namespace pinwheel::host
