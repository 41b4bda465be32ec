#pragma once
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "base/result.h"
#include "cli/options.h"
#include "cli/streams.h"
#include "host/store/tree_place.h"
#include "prepare/host.h"
#include "store/domain.h"

namespace pinwheel::cli {

enum class PlaceUse { reading, changing };

/// The place on which `store` works.
struct OwnPlace {
  std::filesystem::path root;
  host::Sharing sharing;  ///< the machine's own, or one that others use too
};

/// The place of `--store`. `usage` for a place that is not on this machine, which cannot be listed,
/// and for a read-only place (`,ro`) if it would be changed.
Result<OwnPlace> open_own_place(const prepare::Host& host, const StoreCommandOptions& options,
                                PlaceUse use);

/// A place in a directory, for entries of `domain`. The machine's own place survives a power loss.
/// Existing files are compared with their digests.
host::TreePlace place_at(const std::map<std::string, std::string>& variables, const OwnPlace& place,
                         std::string name, store::Domain domain, Streams& streams);

/// Prints the result of a `store` command as JSON or as text.
void print_of_store(const StoreCommandOptions& options, const nlohmann::ordered_json& json,
                    const std::string& text, Streams& streams);

}  // namespace pinwheel::cli
