#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/entry.h"

namespace pinwheel::store {

// The file at an address is an ActionResult of the Remote Execution API v2 in JSON: servers that
// know it check that the blobs it names exist. The entry itself is one of those blobs, because
// such servers keep only the members that they know.

/// The name of the blob with the entry, among the outputs.
constexpr std::string_view kRecordName = "pinwheel-result.json";

/// A list of files: those of an entry, and the record.
struct ActionResult {
  Blob record;
  std::vector<NamedBlob> outputs = {};  ///< without the record

  bool operator==(const ActionResult&) const = default;
};

/// JSON: `outputFiles` with `path` and `digest` {`hash`, `sizeBytes`}; 64-bit numbers are strings,
/// as Protocol Buffers write them.
std::string to_json(const ActionResult& action);

/// The inverse, of what a server may have encoded again: unknown members are ignored, names in
/// snake_case and sizes as numbers are read, a missing size is 0. `check` if it is not an
/// ActionResult, has no record, or describes a step that failed.
Result<ActionResult> parse_action_result(std::string_view text);

}  // namespace pinwheel::store
