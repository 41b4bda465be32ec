#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "publish/catalog.h"

namespace pinwheel::publish {

/// The contents of an index in a bucket, and the progress of its pages. It is one object of the
/// bucket, which a publisher replaces only if no other publisher did so meanwhile
/// (host/index/bucket_index.h).
struct BucketState {
  /// Grows with each change: the time in milliseconds since 1970, or more if a clock is behind.
  uint64_t generation = 0;
  uint64_t complete = 0;  ///< the last generation whose pages are all written
  Catalog catalog = {};

  bool operator==(const BucketState&) const = default;
};

/// `{"schema": "pinwheel-bucket-index/1", "generation", "complete", "places": {LABEL: {PROJECT:
/// PAGE}}}`, where PAGE is the project's page in JSON (PEP 691).
std::string to_json(const BucketState& state);

/// The inverse. Kind `publish`, with a hint, for a text that is malformed, has the schema of
/// another version of pinwheel, has names of labels and projects that no publisher writes, or is
/// over a limit.
Result<BucketState> parse_bucket_state(std::string_view json);

/// The object of a file: "files/SHA256/NAME". The path includes the digest, so a slow or killed
/// publisher cannot overwrite other contents.
std::string bucket_home(std::string_view sha256, std::string_view filename);

/// The pages that differ after a change. A project without files still has its page: pages are
/// replaced, never removed, because not every server supports conditional deletes.
std::map<std::string, std::string> changed_pages(const Catalog& before, const Catalog& after);

/// A page with the number of its generation, in a comment of HTML or as `_generation` of `meta` in
/// JSON: an entity tag is often a digest of the bytes, and must not be that of an earlier page.
std::string with_generation(const std::string& path, const std::string& page, uint64_t generation);

/// The catalog with every project that it or the earlier one has.
Catalog with_projects_of(const Catalog& before, Catalog after);

}  // namespace pinwheel::publish
