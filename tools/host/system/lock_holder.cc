#include "host/system/lock_holder.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <vector>

#include "base/text.h"
#include "host/system/open_regular.h"

namespace pinwheel::host {
namespace {

constexpr ByteLimit kProcText{"a file of /proc", 4'000'000};

std::vector<std::string> words_of_line(const std::string& line) {
  std::vector<std::string> words = split(line, ' ');
  std::erase(words, "");
  return words;
}

/// The process in a line of /proc/locks: "1: FLOCK ADVISORY WRITE 4711 08:01:1234 0 EOF". A waiting
/// process has "->" after the number.
std::optional<std::string> holder_in(const std::string& locks, const std::string& file) {
  for (const std::string& line : split(locks, '\n')) {
    const std::vector<std::string> words = words_of_line(line);
    if (words.size() >= 6 && words[1] == "FLOCK" && words[5] == file) return words[4];
  }
  return std::nullopt;
}

/// Seconds since the process started, by field 22 of its `stat`; 0 if unknown.
std::chrono::seconds age_of(const std::string& process) {
  const std::string text =
      read_regular_file("/proc/" + process + "/stat", kProcText).value_or(std::string());
  const size_t name_end = text.rfind(')');
  const std::vector<std::string> fields =
      words_of_line(name_end == std::string::npos ? "" : text.substr(name_end + 1));
  constexpr size_t kStart = 19;  // of the fields after the name
  if (fields.size() <= kStart) return {};
  timespec now = {};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  const long started = std::atol(fields[kStart].c_str()) / ::sysconf(_SC_CLK_TCK);
  return std::chrono::seconds(std::max(0L, now.tv_sec - started));
}

/// Seconds since the owner of the lock wrote to its file.
std::chrono::seconds since_written(const struct stat& status) {
  return std::chrono::seconds(std::max<time_t>(0, ::time(nullptr) - status.st_mtime));
}

}  // namespace

std::string holder_of(int fd) {
  struct stat status = {};
  if (::fstat(fd, &status) != 0) return "another process holds it";
  const std::string file =
      fmt::format("{:02x}:{:02x}:{}", major(status.st_dev), minor(status.st_dev), status.st_ino);
  const std::optional<std::string> process =
      holder_in(read_regular_file("/proc/locks", kProcText).value_or(std::string()), file);
  if (!process || process->find_first_not_of("0123456789") != std::string::npos ||
      *process == "0") {
    return fmt::format("another process has it, for at most {} s", since_written(status).count());
  }
  const std::string program =
      read_regular_file("/proc/" + *process + "/comm", kProcText).value_or(std::string());
  const std::chrono::seconds held = std::min(age_of(*process), since_written(status));
  return fmt::format("process {} ({}) has held it for {} s", *process,
                     quoted(std::string(trim(program))), held.count());
}

}  // namespace pinwheel::host
