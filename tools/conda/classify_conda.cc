#include "conda/classify_conda.h"

#include <fmt/format.h>

#include <array>

#include "base/text.h"
#include "conda/conda_output.h"

namespace pinwheel::conda {
namespace {

constexpr std::string_view kChannelHint =
    "check the network, the proxy and the channel, then run again";
constexpr std::string_view kConflict = "relax the version of a package in `environment.conda`";
constexpr std::string_view kNoChannel = "check the channels of `environment.conda`";
constexpr std::string_view kOtherFile =
    "the channel serves a different file under the same name: resolve again with `--refresh`";

// Permanent failures come first. A hash mismatch comes before all: it is reported along with the
// download.
constexpr std::array kCondaTable = {
    env::Symptom{"has sha256 * not ", ErrorKind::environment, kOtherFile},
    env::Symptom{"ChecksumMismatch", ErrorKind::environment, kOtherFile},
    env::Symptom{"MD5MismatchError", ErrorKind::environment, kOtherFile},
    env::Symptom{"hash mismatch", ErrorKind::environment, kOtherFile},
    env::Symptom{"checksum * not match", ErrorKind::environment, kOtherFile},
    env::Symptom{"Cannot solve the request because of", ErrorKind::config, kConflict},
    env::Symptom{"Could not solve for environment specs", ErrorKind::config, kConflict},
    env::Symptom{"UnsatisfiableError", ErrorKind::config, kConflict},
    env::Symptom{"PackagesNotFoundError", ErrorKind::config, kConflict},
    env::Symptom{"PackageNotFoundError", ErrorKind::config, kConflict},
    env::Symptom{"ResolvePackageNotFound", ErrorKind::config, kConflict},
    env::Symptom{"nothing provides", ErrorKind::config, kConflict},
    env::Symptom{"unable to parse version spec", ErrorKind::config,
                 "write match specs as conda does, `python=3.11`"},
    env::Symptom{"InvalidMatchSpec", ErrorKind::config,
                 "write match specs as conda does, `python=3.11`"},
    env::Symptom{"401 Unauthorized", ErrorKind::environment,
                 "check the credentials of the channel"},
    env::Symptom{"403 Forbidden", ErrorKind::environment, "check the credentials of the channel"},
    env::Symptom{"404 Not Found", ErrorKind::config, kNoChannel},
    env::Symptom{"HTTP 404 NOT FOUND", ErrorKind::config, kNoChannel},
    env::Symptom{"UnavailableInvalidChannel", ErrorKind::config, kNoChannel},
    env::Symptom{"CERTIFICATE_VERIFY_FAILED", ErrorKind::environment,
                 "set SSL_CERT_FILE to the certificate authority of the channel"},
    env::Symptom{"status server error (5", ErrorKind::transient, kChannelHint},
    env::Symptom{"429 Too Many Requests", ErrorKind::transient, kChannelHint},
    env::Symptom{"CondaHTTPError: HTTP 5", ErrorKind::transient, kChannelHint},
    env::Symptom{"HTTP 000 CONNECTION FAILED", ErrorKind::transient, kChannelHint},
    env::Symptom{"error sending request", ErrorKind::transient, kChannelHint},
    env::Symptom{"Download error", ErrorKind::transient, kChannelHint},
    env::Symptom{"Could not resolve host", ErrorKind::transient, kChannelHint},
    env::Symptom{"Temporary failure in name resolution", ErrorKind::transient, kChannelHint},
    env::Symptom{"Connection reset by peer", ErrorKind::transient, kChannelHint},
    env::Symptom{"onnection refused", ErrorKind::transient, kChannelHint},
};

/// Why a conda client failed, from its output. A conflict is `config`, a channel that does not
/// respond `transient`, one that does not exist `config`, a file that does not match the hash of
/// the channel or the list `environment`.
env::Diagnosis classify_conda(const ports::Exit& exit, std::string_view output) {
  return env::diagnose(exit, output, kCondaTable);
}

}  // namespace

Error conda_failure(CondaKind kind, const ports::Captured& ran, std::string_view what) {
  const std::string why = explanation(kind, ran.out, ran.err);
  env::Diagnosis diagnosis = classify_conda(ran.exit, why + "\n" + ran.out + "\n" + ran.err);
  // rattler's script exits with 0 if it replies: any other failure is the machine's.
  if (diagnosis.kind == ErrorKind::step) diagnosis.kind = ErrorKind::environment;
  const bool ended = !ran.exit.canceled && !ran.exit.timed_out && !ran.exit.out_of_memory;
  if (ended && !why.empty()) diagnosis.line = why;
  return env::to_error(diagnosis, what, ran.exit);
}

}  // namespace pinwheel::conda
