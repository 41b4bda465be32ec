#include "prepare/budget.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/parallel.h"
#include "base/parse_integer.h"
#include "base/text.h"
#include "slurm/allocation.h"

namespace pinwheel::prepare {
namespace {

uint64_t free_memory() {
  std::ifstream info("/proc/meminfo");
  for (std::string line; std::getline(info, line);) {
    if (!line.starts_with("MemAvailable:")) continue;
    return std::strtoull(line.c_str() + sizeof("MemAvailable:"), nullptr, 10) * 1024;
  }
  return 0;
}

/// A whole number above zero; the caller's tools would ignore anything else.
std::optional<int> count_in(const std::map<std::string, std::string>& variables,
                            const char* variable) {
  const std::string text = value_at(variables, variable);
  const std::optional<int> count = parse_integer(trim(text));
  return count && *count > 0 ? count : std::nullopt;
}

/// The time since this program started.
std::chrono::milliseconds age_of_program() {
  constexpr size_t kStartColumn = 19;  // of those after the name, which ends in the last `)`
  std::ifstream file("/proc/self/stat");
  std::string text;
  std::getline(file, text);
  const std::vector<std::string> columns = split(text.substr(text.rfind(')') + 1), ' ');
  timespec now = {};
  if (columns.size() <= kStartColumn + 1 || ::clock_gettime(CLOCK_BOOTTIME, &now) != 0) return {};
  const std::optional<uint64_t> start = parse_unsigned(columns[kStartColumn + 1]);
  const auto ticks = static_cast<uint64_t>(::sysconf(_SC_CLK_TCK));
  if (!start) return {};
  const auto begun = std::chrono::milliseconds(static_cast<int64_t>(*start * 1000 / ticks));
  const std::chrono::milliseconds since_boot =
      std::chrono::seconds(now.tv_sec) + std::chrono::milliseconds(now.tv_nsec / 1'000'000);
  return std::max(since_boot - begun, std::chrono::milliseconds(0));
}

}  // namespace

Result<std::optional<std::chrono::steady_clock::time_point>> end_of_time(
    const RunOptions& options) {
  if (options.time_limit.empty()) return std::nullopt;
  const std::optional<std::chrono::milliseconds> limit = parse_duration(options.time_limit);
  if (!limit || limit->count() <= 0) {
    return fail(ErrorKind::usage,
                fmt::format("`--time-limit` cannot be {}", quoted(options.time_limit)),
                "use a time such as `350 min`");
  }
  return std::chrono::steady_clock::now() + *limit - age_of_program();
}

int most_jobs(const std::map<std::string, std::string>& variables) {
  int most = std::numeric_limits<int>::max();
  for (const char* const variable : {"MAX_JOBS", "CMAKE_BUILD_PARALLEL_LEVEL"}) {
    most = std::min(most, count_in(variables, variable).value_or(most));
  }
  return most;
}

Result<run::Budget> budget_of(const std::map<std::string, std::string>& variables,
                              const RunOptions& options) {
  run::Budget budget;
  if (options.jobs < 0) {
    return fail(ErrorKind::usage, fmt::format("`--jobs` cannot be {}", options.jobs),
                "pass a number of cores, or omit it to use all of them");
  }
  budget.cores = options.jobs > 0 ? options.jobs : static_cast<int>(usable_processors());
  budget.cores_per_step = most_jobs(variables);
  budget.memory = free_memory();
  // Without cgroups a job sees all of its node.
  if (const std::optional<slurm::Allocation> allocation = slurm::read_allocation(variables)) {
    if (options.jobs == 0 && allocation->cores > 0) {
      budget.cores = std::min(budget.cores, allocation->cores);
    }
    if (allocation->memory > 0) budget.memory = std::min(budget.memory, allocation->memory);
  }
  if (!options.memory.empty()) {
    const auto memory = parse_bytes(options.memory);
    if (!memory || *memory == 0) {
      return fail(ErrorKind::usage, fmt::format("`--memory` cannot be {}", quoted(options.memory)),
                  "use a size such as `16 GiB`");
    }
    budget.memory = *memory;
  }
  // Two concurrent installations would only compete for the same disk and network.
  budget.pools = {{"gpu", 1}, {"upload", 2}, {"install", 1}};
  return budget;
}

}  // namespace pinwheel::prepare
