#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "plan/outline.h"

namespace pinwheel::plan {

/// "2/4": the second of four shards.
struct Shard {
  int index = 1;  ///< from 1
  int count = 1;
};

/// Parses "2/4"; `usage` if it is not a shard.
Result<Shard> parse_shard(std::string_view text);

/// Splits an outline into `count` parts of about equal work; a build and its tests stay together,
/// so a part may be empty when there are fewer builds than parts. Deterministic: longest first to
/// the least loaded.
std::vector<Outline> split_into_shards(const Outline& outline, int count);

}  // namespace pinwheel::plan
