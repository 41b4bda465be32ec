#pragma once
#include <string>
#include <string_view>

#include "ports/http.h"

namespace pinwheel::host {

/// How a request ended for libcurl.
struct CurlEnd {
  int code = 0;             ///< a CURLcode, not CURLE_OK
  long request_bytes = 0;   ///< bytes of request headers that left
  std::string reason = {};  ///< libcurl's words for the code, which name no secret
};

/// libcurl's result as pinwheel's: what cannot mend itself (unknown host, untrusted certificate,
/// malformed URL) is `environment`, a stop is `interrupted`, everything else `transient`. `sent` is
/// `nothing` only while no byte of the request had left. The message names host and reason only.
ports::HttpFailure http_failure(const CurlEnd& end, std::string_view url);

}  // namespace pinwheel::host
