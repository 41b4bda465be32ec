#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/ci_event.h"

// Domains
//
// A store lets one job use the wheel that another job built. Then whoever can write to the store
// can put code into a release. Domains keep the results of different trust levels apart.
//
//     release        a pushed tag          reads: release
//     branch         a push, a developer   reads: branch, release
//     pull-request   anybody's code        reads: pull-request, branch, release
//
// A run reads its own domain and those above it, and writes only its own. A pull request may reuse
// the build that `main` finished an hour ago, but a release never reuses a build of a pull
// request, even if both have the same key.
//
// Example: a pull request builds `build:cu130` with a manipulated compiler that reports the usual
// version, so its key K is the same as on `main`. It stores its wheel. The address of a result is
// a hash of the domain and the key (`store/address`), so the wheel is at the address of
// (pull-request, K). The release looks only at (release, K), finds nothing, and builds.
//
// The domain is chosen in `choose_domain`. `--store-domain` or PINWHEEL_STORE_DOMAIN names it,
// else the event of the CI service does (`store/ci_event`). Two cases are restricted. In the event
// of a pull request, every other domain is an error, because the code of the pull request could
// set the variable. In CI of an unknown kind, the job may belong to a pull request, so it reads
// like one and writes nothing until the domain is named (`may_store`).
//
// Domains are a convention and not a boundary. A process that can write to a bucket can write any
// object in it, also one at an address of `release`. The boundary is the credential of the place:
// only release jobs may have one that writes where releases read. For the same reason a run copies
// no result of another domain into its machine's own place: that would move a claim of a shared
// place into a place that a release trusts.
namespace pinwheel::store {

/// The writer of a result, from the least to the most trusted: a writer of results can put code
/// into everything that is made from them.
enum class Domain { pull_request, branch, release };

/// "pull-request", "branch", "release".
std::string_view to_string(Domain domain);
/// The inverse of `to_string`; nullopt when no domain has that name.
std::optional<Domain> parse_domain(std::string_view name);

/// The domains that a run in `own` reads, in lookup order: its own, then those above it. It never
/// reads one below: a release reads only what releases wrote.
std::vector<Domain> readable_from(Domain own);
/// Whether a run in `own` may use entries written in `written`.
bool may_read(Domain own, Domain written);

/// The domain of this run: `asked` (from `--store-domain`; empty: none), else
/// PINWHEEL_STORE_DOMAIN or PINWHEEL_DOMAIN, else that of the event, which is `branch` outside of
/// CI and `pull_request` of an unknown one. `usage` for an unknown name, and in the event of a pull
/// request for every domain but `pull_request`.
Result<Domain> choose_domain(std::string_view asked,
                             const std::map<std::string, std::string>& environment);

/// Whether the run may write results to a store. In an unknown event this requires a named domain.
bool may_store(std::string_view asked, const std::map<std::string, std::string>& environment);

}  // namespace pinwheel::store
