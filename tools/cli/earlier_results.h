#pragma once
#include <map>
#include <string>

#include "journal/history.h"
#include "plan/reuse.h"

namespace pinwheel::cli {

/// Path -> sha256 of the files that decide what of the plan may be reused; absent ones are left
/// out.
std::map<std::string, std::string> digest_outputs(const plan::Plan& plan,
                                                  const journal::History& history);

/// What earlier runs left and is still there unchanged.
plan::Results find_results(const plan::Plan& plan, const journal::History& history);

}  // namespace pinwheel::cli
