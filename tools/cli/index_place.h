#pragma once
#include <string>

#include "base/result.h"
#include "cli/streams.h"
#include "host/index/bucket_index.h"
#include "prepare/host.h"

namespace pinwheel::cli {

/// Opens the index at "s3://BUCKET/PREFIX" with the user's keys of AWS. `usage` if it is not the
/// URL of a bucket.
Result<host::BucketIndex> open_bucket(const prepare::Host& host, const std::string& place,
                                      Streams& streams);

}  // namespace pinwheel::cli
