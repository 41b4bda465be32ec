#include "host/system/mapped_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include "host/system/system_error.h"
#include "host/system/unique_fd.h"

namespace pinwheel::host {
namespace {

/// A shared mapping of a file. A thread repeatedly removes its pages from the process: they stay in
/// the file, so this changes no byte, even while the memory is in use.
class MappedMemory final : public ports::LargeMemory {
 public:
  MappedMemory(char* data, uint64_t size)
      : data_(data),
        size_(size),
        release_([this](const std::stop_token& stop) { release(stop); }) {}
  ~MappedMemory() override {
    release_.request_stop();
    release_.join();
    ::munmap(data_, size_);
  }
  MappedMemory(const MappedMemory&) = delete;
  MappedMemory& operator=(const MappedMemory&) = delete;

  char* data() override { return data_; }
  uint64_t size() const override { return size_; }

 private:
  void release(const std::stop_token& stop) {
    constexpr std::chrono::milliseconds kPause{10};
    std::mutex mutex;
    std::condition_variable_any stopped;
    std::unique_lock lock(mutex);
    while (!stop.stop_requested()) {
      stopped.wait_for(lock, stop, kPause, [] { return false; });
      ::madvise(data_, size_, MADV_DONTNEED);
    }
  }

  char* data_;
  uint64_t size_;
  std::jthread release_;
};

/// Older overlay and network file systems cannot create unnamed files.
int open_unnamed(const std::filesystem::path& directory) {
  const int unnamed = ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (unnamed >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) return unnamed;
  std::string name = directory / ".pinwheel-memory-XXXXXX";
  const int named = ::mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) ::unlink(name.c_str());
  return named;
}

}  // namespace

MappedMemories::MappedMemories(std::filesystem::path directory)
    : directory_(std::move(directory)) {}

Result<std::unique_ptr<ports::LargeMemory>> MappedMemories::make(uint64_t bytes) {
  const UniqueFd file(open_unnamed(directory_));
  if (!file.valid()) return fail(system_error("written", directory_, errno));
  const int descriptor = file.get();
  // A full disk is an error here; later it would be a signal on access.
  int error = EINTR;
  while (error == EINTR) error = ::posix_fallocate(descriptor, 0, static_cast<off_t>(bytes));
  if (error != 0) return fail(system_error("written", directory_, error));
  void* const place = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (place == MAP_FAILED) return fail(system_error("mapped", directory_, errno));
  return std::make_unique<MappedMemory>(static_cast<char*>(place), bytes);
}

}  // namespace pinwheel::host
