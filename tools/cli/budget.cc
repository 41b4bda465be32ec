#include "cli/budget.h"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "base/parallel.h"
#include "base/text.h"

namespace pinwheel::cli {
namespace {

uint64_t free_memory() {
  std::ifstream info("/proc/meminfo");
  for (std::string line; std::getline(info, line);) {
    if (!line.starts_with("MemAvailable:")) continue;
    return std::strtoull(line.c_str() + sizeof("MemAvailable:"), nullptr, 10) * 1024;
  }
  return 0;
}

}  // namespace

Result<run::Budget> budget_of(const RunOptions& options) {
  run::Budget budget;
  if (options.jobs < 0) {
    return fail(ErrorKind::usage, fmt::format("`--jobs` cannot be {}", options.jobs),
                "pass a number of cores, or omit it to use all of them");
  }
  budget.cores = options.jobs > 0 ? options.jobs : static_cast<int>(usable_processors());
  budget.memory = free_memory();
  if (!options.memory.empty()) {
    const auto memory = parse_bytes(options.memory);
    if (!memory || *memory == 0) {
      return fail(ErrorKind::usage, fmt::format("`--memory` cannot be `{}`", options.memory),
                  "use a size such as `16 GiB`");
    }
    budget.memory = *memory;
  }
  // Two concurrent installations would only compete for the same disk and network.
  budget.pools = {{"gpu", 1}, {"upload", 2}, {"install", 1}};
  return budget;
}

}  // namespace pinwheel::cli
