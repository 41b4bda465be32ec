#include "prepare/earlier_results.h"

#include <mutex>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "host/run/journal_file.h"
#include "host/system/digest_file.h"
#include "run/reuse.h"

namespace pinwheel::prepare {

namespace {

/// Sizes in bytes; 0 for a missing file.
std::vector<uint64_t> sizes_of(const std::vector<std::string>& paths) {
  std::vector<uint64_t> sizes;
  for (const std::string& path : paths) {
    std::error_code missing;
    const auto size = std::filesystem::file_size(path, missing);
    sizes.push_back(missing ? 0 : size);
  }
  return sizes;
}

std::map<std::string, std::string> digests_of(const plan::Plan& plan,
                                              const plan::Results& results) {
  const std::vector<std::string> paths = run::outputs_to_check(plan, results);
  std::mutex mutex;
  std::map<std::string, std::string> digests;
  run_jobs(sizes_of(paths), {.threads = usable_processors()}, [&](size_t i) {
    const Result<host::FileDigest> digest = host::digest_file(paths[i]);
    if (!digest) return;
    const std::lock_guard lock(mutex);
    digests[paths[i]] = digest->sha256;
  });
  return digests;
}

}  // namespace

std::map<std::string, std::string> digest_outputs(const plan::Plan& plan,
                                                  const run::History& history) {
  return digests_of(plan, run::results_of(plan, history));
}

plan::Results find_results(const plan::Plan& plan, const run::History& history) {
  const plan::Results results = run::results_of(plan, history);
  return run::still_valid(results, digests_of(plan, results));
}

plan::Durations earlier_durations(const std::filesystem::path& state) {
  Result<run::History> history = host::read_whole_journal(state);
  return history ? std::move(history->took) : plan::Durations();
}

}  // namespace pinwheel::prepare
