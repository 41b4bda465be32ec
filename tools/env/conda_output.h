#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "env/conda_client.h"
#include "env/resolution.h"

namespace pinwheel::env {

/// The packages of a solution, sorted by name, in the form that each client prints: `actions` of
/// `create --dry-run --json`, or the answer of rattler's script. URLs lose credentials and tokens.
/// `environment` for anything else, and for a package without URL or sha256: it could not be
/// installed again.
Result<std::vector<CondaPackage>> parse_solution(CondaKind kind, std::string_view out);

/// What rattler's script says of a failure; empty when it answered otherwise.
struct RattlerFailure {
  std::string what;  ///< "conflict", "channel", "hash", "install", "request"
  std::string reason;
};
RattlerFailure parse_rattler_failure(std::string_view out);

/// The client's own explanation of a failure, several lines where it gives several: the message of
/// a JSON answer, else what it printed from its first complaint on.
std::string explanation(CondaKind kind, std::string_view out, std::string_view err);

/// "2.36" of "glibc 2.36", as `getconf GNU_LIBC_VERSION` prints; empty: another C library.
std::string parse_glibc(std::string_view output);

}  // namespace pinwheel::env
