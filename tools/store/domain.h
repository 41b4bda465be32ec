#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/ci_event.h"

namespace pinwheel::store {

/// Who wrote a result, from the least trusted to the most: whoever may write a result could put
/// code into what is made of it.
enum class Domain { pull_request, branch, release };

/// "pull-request", "branch", "release".
std::string_view to_string(Domain domain);
/// The inverse of `to_string`; nullopt when no domain has that name.
std::optional<Domain> parse_domain(std::string_view name);

/// The domains that a run in `own` reads, in the order in which it looks: its own, then those above
/// it. Never one below: a release reads what releases wrote.
std::vector<Domain> readable_from(Domain own);
/// Whether a run in `own` may use what was written in `written`.
bool may_read(Domain own, Domain written);

/// The domain of this run: `asked` (from `--store-domain`; empty: none), else
/// PINWHEEL_STORE_DOMAIN or PINWHEEL_DOMAIN, else that of the event, which is `branch` outside of
/// CI and `pull_request` of an unknown one. `usage` for an unknown name, and in the event of a pull
/// request for every domain but `pull_request`.
Result<Domain> choose_domain(std::string_view asked,
                             const std::map<std::string, std::string>& environment);

/// Whether the run may keep results in a store: of an unknown event only one whose domain is named.
bool may_keep(std::string_view asked, const std::map<std::string, std::string>& environment);

}  // namespace pinwheel::store
