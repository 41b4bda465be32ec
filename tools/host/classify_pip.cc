#include "host/classify_pip.h"

#include <array>

namespace pinwheel::host {
namespace {

constexpr std::string_view kIndexHint =
    "check the network, the proxy and the index, then run again";
constexpr std::string_view kLogin = "check the credentials of the index";
constexpr std::string_view kNoPackage =
    "check the name, the version and the indexes of the pip configuration (`pip config list`)";

// What lasts stands first; then the network, because pip says "No matching distribution" also when
// the index could not be reached, after lines that name the fault; then what the index refused.
constexpr std::array kPipTable = {
    Symptom{"THESE PACKAGES DO NOT MATCH THE HASHES", ErrorKind::environment,
            "the index serves another file under the same name: resolve again with `--refresh`"},
    Symptom{"because these package versions have conflicting dependencies", ErrorKind::config,
            "loosen one of the requirements it names"},
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

}  // namespace

Diagnosis classify_pip(const ports::Exit& exit, std::string_view output) {
  return diagnose(exit, output, kPipTable);
}

}  // namespace pinwheel::host
