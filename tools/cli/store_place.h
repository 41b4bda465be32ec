#pragma once
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "base/result.h"
#include "cli/options.h"
#include "cli/streams.h"
#include "host/store/tree_place.h"
#include "store/domain.h"

namespace pinwheel::cli {

/// The directory of the place that `store` works on. `usage` for one that is not on this machine:
/// it cannot be listed.
Result<std::filesystem::path> root_of_place(const StoreCommandOptions& options);

/// A place in a directory, for a copy that is written for `domain`.
host::TreePlace place_at(const std::filesystem::path& root, std::string name, store::Domain domain);

/// The result of a command of `store`: as JSON, or as text.
void print_of_store(const StoreCommandOptions& options, const nlohmann::ordered_json& json,
                    const std::string& text, Streams& streams);

}  // namespace pinwheel::cli
