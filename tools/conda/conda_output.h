#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "conda/conda_client.h"
#include "env/package_traffic.h"
#include "env/resolution.h"

namespace pinwheel::conda {

/// Parses the packages of a solution, sorted by name, from each client's format: `actions` of
/// `create --dry-run --json`, or the reply of rattler's script. Credentials and tokens are removed
/// from URLs. `environment` for anything else, and for a package without URL or sha256: it could
/// not be installed again.
Result<std::vector<env::CondaPackage>> parse_solution(CondaKind kind, std::string_view out);

/// A failure that rattler's script reports; empty for any other reply.
struct RattlerFailure {
  std::string what;  ///< "conflict", "channel", "hash", "install", "request"
  std::string reason;
};
RattlerFailure parse_rattler_failure(std::string_view out);

/// The archives that an installation by rattler's script needed from servers, also if it failed;
/// zeros for any other reply.
env::PackageTraffic parse_rattler_traffic(std::string_view out);

/// The client's own explanation of a failure, possibly several lines: the message of a JSON reply,
/// else its output from the first error on.
std::string explanation(CondaKind kind, std::string_view out, std::string_view err);

/// "2.36" from "glibc 2.36", the output of `getconf GNU_LIBC_VERSION`; empty: another C library.
std::string parse_glibc(std::string_view output);

}  // namespace pinwheel::conda
