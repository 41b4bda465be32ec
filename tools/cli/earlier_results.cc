#include "cli/earlier_results.h"

#include "host/digest_file.h"
#include "journal/reuse.h"

namespace pinwheel::cli {

std::map<std::string, std::string> digest_outputs(const plan::Plan& plan,
                                                  const journal::History& history) {
  std::map<std::string, std::string> digests;
  for (const std::string& path :
       journal::outputs_to_check(plan, journal::results_of(plan, history))) {
    if (const Result<host::FileDigest> digest = host::digest_file(path)) {
      digests[path] = digest->sha256;
    }
  }
  return digests;
}

plan::Results find_results(const plan::Plan& plan, const journal::History& history) {
  return journal::still_there(journal::results_of(plan, history), digest_outputs(plan, history));
}

}  // namespace pinwheel::cli
