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

/// The place that `store` works on.
struct OwnPlace {
  std::filesystem::path root;
  host::Sharing sharing;  ///< the machine's own, or one that others use too
};

/// The place of `--store`. `usage` for one that is not on this machine, which cannot be listed, and
/// for one that is only to be read (`,ro`) if it would be changed.
Result<OwnPlace> open_own_place(const prepare::Host& host, const StoreCommandOptions& options,
                                PlaceUse use);

/// A place in a directory, for a copy that is written for `domain`: what the machine's own keeps
/// outlasts a power loss. What is there is compared with its digest.
host::TreePlace place_at(const std::map<std::string, std::string>& variables, const OwnPlace& place,
                         std::string name, store::Domain domain, Streams& streams);

/// The result of a command of `store`: as JSON, or as text.
void print_of_store(const StoreCommandOptions& options, const nlohmann::ordered_json& json,
                    const std::string& text, Streams& streams);

}  // namespace pinwheel::cli
