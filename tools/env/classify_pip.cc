#include "env/classify_pip.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/text.h"

namespace pinwheel::env {
namespace {

constexpr std::string_view kIndexHint =
    "check the network, the proxy and the index, then run again";
constexpr std::string_view kLogin = "check the credentials of the index";
constexpr std::string_view kNoPackage =
    "check the name, the version and the indexes of the pip configuration (`pip config list`)";

constexpr std::string_view kPipConflict =
    "because these package versions have conflicting dependencies";

// What lasts stands first; then the network, because pip says "No matching distribution" also when
// the index could not be reached, after lines that name the fault; then what the index refused.
constexpr std::array kPipTable = {
    Symptom{"THESE PACKAGES DO NOT MATCH THE HASHES", ErrorKind::environment,
            "the index serves another file under the same name: resolve again with `--refresh`"},
    Symptom{kPipConflict, ErrorKind::config, "loosen one of the requirements it names"},
    Symptom{"ERROR: ResolutionImpossible", ErrorKind::config,
            "loosen one of the requirements it names"},
    Symptom{"Invalid requirement", ErrorKind::config, "write it as PEP 508 does, `name>=1.0`"},
    Symptom{"is not a supported wheel on this platform", ErrorKind::config,
            "the wheel is for another Python or machine"},
    Symptom{"CERTIFICATE_VERIFY_FAILED", ErrorKind::environment,
            "name the certificate authority of the index with `PIP_CERT`"},
    Symptom{"is not a trusted or secure host and is being ignored", ErrorKind::environment,
            "use https, or name the host with `PIP_TRUSTED_HOST`"},
    Symptom{"Server Error", ErrorKind::transient, kIndexHint},
    Symptom{"429 Client Error", ErrorKind::transient, kIndexHint},
    Symptom{"too many * error responses", ErrorKind::transient, kIndexHint},
    Symptom{"onnection broken by", ErrorKind::transient, kIndexHint},
    Symptom{"IncompleteRead", ErrorKind::transient, kIndexHint},
    Symptom{"Read timed out", ErrorKind::transient, kIndexHint},
    Symptom{"Connection reset by peer", ErrorKind::transient, kIndexHint},
    Symptom{"Temporary failure in name resolution", ErrorKind::transient, kIndexHint},
    Symptom{"Max retries exceeded", ErrorKind::transient, kIndexHint},
    // A download that was cut short: pip checks no length when the server closes early.
    Symptom{"Wheel * located at * is invalid", ErrorKind::transient, kIndexHint},
    Symptom{"401 Client Error", ErrorKind::environment, kLogin},
    Symptom{"403 Client Error", ErrorKind::environment, kLogin},
    Symptom{"Could not find a version that satisfies", ErrorKind::config, kNoPackage},
    Symptom{"No matching distribution found for", ErrorKind::config, kNoPackage},
    Symptom{"404 Client Error", ErrorKind::config, kNoPackage},
    Symptom{"Could not install packages due to an OSError", ErrorKind::environment,
            "mend the cause that pip names"},
};

/// What pip says of a conflict, each thing once, in its order: "one 1.0 depends on tiny==1.0". It
/// stands in a paragraph of its own, which a build's output may have indented.
std::vector<std::string> conflict_reasons(std::string_view output) {
  constexpr std::string_view kHead = "The conflict is caused by:";
  std::vector<std::string> reasons;
  size_t at = output.find(kHead);
  if (at == std::string_view::npos) return reasons;
  while ((at = output.find('\n', at)) != std::string_view::npos) {
    ++at;
    const std::string reason(trim(output.substr(at, output.find('\n', at) - at)));
    if (reason.empty() || reason.starts_with("ERROR: ")) break;
    // Old pips repeat one for each version that they tried of another package.
    if (std::find(reasons.begin(), reasons.end(), reason) == reasons.end()) {
      reasons.push_back(reason);
    }
  }
  return reasons;
}

/// "ERROR: Cannot install ... have conflicting dependencies: REASON; REASON, and 3 more".
std::string conflict_line(std::string line, std::vector<std::string> reasons) {
  constexpr size_t kShown = 5;
  if (reasons.empty()) return line;
  const size_t others = reasons.size() - std::min(reasons.size(), kShown);
  reasons.resize(reasons.size() - others);
  if (line.ends_with('.')) line.pop_back();
  line += ": " + join(reasons, "; ");
  return others == 0 ? line : line + fmt::format(", and {} more", others);
}

}  // namespace

Diagnosis classify_pip(const ports::Exit& exit, std::string_view output) {
  Diagnosis diagnosis = diagnose(exit, output, kPipTable);
  if (diagnosis.line.find(kPipConflict) != std::string::npos) {
    diagnosis.line = conflict_line(std::move(diagnosis.line), conflict_reasons(output));
  }
  return diagnosis;
}

}  // namespace pinwheel::env
