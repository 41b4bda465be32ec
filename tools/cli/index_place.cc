#include "cli/index_place.h"

namespace pinwheel::cli {

Result<host::BucketIndex> open_bucket(const prepare::Host& host, const std::string& place,
                                      Streams& streams) {
  return host::open_bucket_index(
      {.url = place, .environment = host.variables, .mask = [&streams](const Secret& secret) {
         streams.mask(secret);
       }});
}

}  // namespace pinwheel::cli
