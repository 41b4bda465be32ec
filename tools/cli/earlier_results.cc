#include "cli/earlier_results.h"

#include <utility>

#include "host/steps/journal_file.h"
#include "host/system/digest_file.h"
#include "journal/reuse.h"

namespace pinwheel::cli {

namespace {

std::map<std::string, std::string> digests_of(const plan::Plan& plan,
                                              const plan::Results& results) {
  std::map<std::string, std::string> digests;
  for (const std::string& path : journal::outputs_to_check(plan, results)) {
    if (const Result<host::FileDigest> digest = host::digest_file(path)) {
      digests[path] = digest->sha256;
    }
  }
  return digests;
}

}  // namespace

std::map<std::string, std::string> digest_outputs(const plan::Plan& plan,
                                                  const journal::History& history) {
  return digests_of(plan, journal::results_of(plan, history));
}

plan::Results find_results(const plan::Plan& plan, const journal::History& history) {
  const plan::Results results = journal::results_of(plan, history);
  return journal::still_there(results, digests_of(plan, results));
}

plan::Durations earlier_durations(const std::filesystem::path& state) {
  Result<journal::History> history = host::read_journal(state);
  return history ? std::move(history->took) : plan::Durations();
}

}  // namespace pinwheel::cli
