#include "env/classify_pip.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "base/text.h"
#include "env/missing_compiler.h"
#include "env/pip_reason.h"

namespace pinwheel::env {
namespace {

constexpr std::string_view kIndexHint =
    "check the network, the proxy and the index, then run again";
constexpr std::string_view kLogin = "check the credentials of the index";
constexpr std::string_view kNoPackage =
    "check the name, the version and the indexes of the pip configuration (`pip config list`)";

constexpr std::string_view kPipConflict =
    "because these package versions have conflicting dependencies";

// Permanent failures come first; then the network, because pip also reports "No matching
// distribution" when the index could not be reached, after lines that name the cause; then what the
// index rejected.
constexpr std::array kPipTable = {
    Symptom{
        "THESE PACKAGES DO NOT MATCH THE HASHES", ErrorKind::environment,
        "the index serves a different file under the same name: resolve again with `--refresh`"},
    Symptom{kPipConflict, ErrorKind::config, "relax one of the requirements it names"},
    Symptom{"ERROR: ResolutionImpossible", ErrorKind::config,
            "relax one of the requirements it names"},
    Symptom{"Invalid requirement", ErrorKind::config, "write it as in PEP 508, `name>=1.0`"},
    Symptom{"is not a supported wheel on this platform", ErrorKind::config,
            "the wheel is for another Python or machine"},
    Symptom{"CERTIFICATE_VERIFY_FAILED", ErrorKind::environment,
            "set `PIP_CERT` to the certificate authority of the index"},
    Symptom{"is not a trusted or secure host and is being ignored", ErrorKind::environment,
            "use https, or set `PIP_TRUSTED_HOST` to the host"},
    Symptom{"Server Error", ErrorKind::transient, kIndexHint},
    Symptom{"429 Client Error", ErrorKind::transient, kIndexHint},
    Symptom{"too many * error responses", ErrorKind::transient, kIndexHint},
    Symptom{"onnection broken by", ErrorKind::transient, kIndexHint},
    Symptom{"IncompleteRead", ErrorKind::transient, kIndexHint},
    Symptom{"Read timed out", ErrorKind::transient, kIndexHint},
    Symptom{"Connection reset by peer", ErrorKind::transient, kIndexHint},
    Symptom{"Temporary failure in name resolution", ErrorKind::transient, kIndexHint},
    Symptom{"Max retries exceeded", ErrorKind::transient, kIndexHint},
    // A truncated download: pip does not check the length if the server closes the connection
    // early.
    Symptom{"Wheel * located at * is invalid", ErrorKind::transient, kIndexHint},
    Symptom{"401 Client Error", ErrorKind::environment, kLogin},
    Symptom{"403 Client Error", ErrorKind::environment, kLogin},
    Symptom{"Could not find a version that satisfies", ErrorKind::config, kNoPackage},
    Symptom{"No matching distribution found for", ErrorKind::config, kNoPackage},
    Symptom{"404 Client Error", ErrorKind::config, kNoPackage},
    Symptom{"Could not install packages due to an OSError", ErrorKind::environment,
            "fix the cause that pip names"},
};

/// pip's reasons for a conflict, without duplicates, in its order: "one 1.0 depends on tiny==1.0".
/// They are a separate paragraph, which a build's output may indent.
std::vector<std::string> conflict_reasons(std::string_view output) {
  constexpr std::string_view kHead = "The conflict is caused by:";
  std::vector<std::string> reasons;
  size_t at = output.find(kHead);
  if (at == std::string_view::npos) return reasons;
  while ((at = output.find('\n', at)) != std::string_view::npos) {
    ++at;
    const std::string reason(trim(output.substr(at, output.find('\n', at) - at)));
    if (reason.empty() || reason.starts_with("ERROR: ")) break;
    // Old versions of pip repeat a reason for each version that they tried of another package.
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
  if (diagnosis.kind != ErrorKind::step) return diagnosis;
  if (const std::optional<Diagnosis> compiler = missing_compiler(output)) return *compiler;
  diagnosis.line = pip_reason(output);
  return diagnosis;
}

}  // namespace pinwheel::env
