#include "host/classify_pip.h"

#include <array>

namespace pinwheel::host {
namespace {

constexpr std::string_view kNetwork = "check the network, the proxy and the index, then run again";
constexpr std::string_view kNoPackage =
    "check the name, the version and the indexes of the pip configuration (`pip config list`)";

// pip says "No matching distribution" also when the index could not be reached, after warnings that
// name the network, so faults of the network stand first. 404 for a whole file or index lasts.
constexpr std::array kTable = {
    Symptom{"THESE PACKAGES DO NOT MATCH THE HASHES", ErrorKind::environment,
            "the index serves another file under the same name: resolve again with `--refresh`"},
    Symptom{"401 Client Error", ErrorKind::environment, "check the credentials of the index"},
    Symptom{"403 Client Error", ErrorKind::environment, "check the credentials of the index"},
    Symptom{"404 Client Error", ErrorKind::config, kNoPackage},
    Symptom{"410 Client Error", ErrorKind::config, kNoPackage},
    Symptom{"SSLCertVerificationError", ErrorKind::environment,
            "name the certificate authority of the index with `PIP_CERT`"},
    Symptom{"CERTIFICATE_VERIFY_FAILED", ErrorKind::environment,
            "name the certificate authority of the index with `PIP_CERT`"},
    Symptom{"429 Client Error", ErrorKind::transient, kNetwork},
    Symptom{"Server Error", ErrorKind::transient, kNetwork},
    Symptom{"too many 500 error responses", ErrorKind::transient, kNetwork},
    Symptom{"too many 502 error responses", ErrorKind::transient, kNetwork},
    Symptom{"too many 503 error responses", ErrorKind::transient, kNetwork},
    Symptom{"Connection broken by", ErrorKind::transient, kNetwork},
    Symptom{"connection broken by", ErrorKind::transient, kNetwork},
    Symptom{"IncompleteRead", ErrorKind::transient, kNetwork},
    Symptom{"Read timed out", ErrorKind::transient, kNetwork},
    Symptom{"Connection reset by peer", ErrorKind::transient, kNetwork},
    Symptom{"Connection aborted", ErrorKind::transient, kNetwork},
    Symptom{"Temporary failure in name resolution", ErrorKind::transient, kNetwork},
    Symptom{"Failed to establish a new connection", ErrorKind::transient, kNetwork},
    Symptom{"Max retries exceeded", ErrorKind::transient, kNetwork},
    Symptom{"ResolutionImpossible", ErrorKind::config, "loosen one of the requirements it names"},
    Symptom{"Cannot install * because these package versions have conflicting dependencies",
            ErrorKind::config, "loosen one of the requirements it names"},
    Symptom{"No matching distribution found for", ErrorKind::config, kNoPackage},
    Symptom{"Could not find a version that satisfies", ErrorKind::config, kNoPackage},
    Symptom{"Invalid requirement", ErrorKind::config, "write it as PEP 508 does, `name>=1.0`"},
    Symptom{"is not a supported wheel on this platform", ErrorKind::config,
            "the wheel is for another Python or machine"},
    Symptom{"requires a different Python", ErrorKind::config, kNoPackage},
    Symptom{"Could not install packages due to an OSError", ErrorKind::environment,
            "see the cause that pip names"},
};

}  // namespace

Diagnosis classify_pip(const ports::Exit& exit, std::string_view output) {
  return diagnose(exit, output, kTable);
}

}  // namespace pinwheel::host
