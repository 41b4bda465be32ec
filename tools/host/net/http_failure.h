#pragma once
#include <string>
#include <string_view>

#include "ports/http.h"

namespace pinwheel::host {

/// The result of a failed libcurl request.
struct CurlEnd {
  int code = 0;             ///< a CURLcode, not CURLE_OK
  long request_bytes = 0;   ///< bytes of request headers sent
  std::string reason = {};  ///< libcurl's text for the code, which contains no secrets
};

/// Converts a libcurl result: permanent failures (unknown host, untrusted certificate, malformed
/// URL) are `environment`, a stop is `interrupted`, everything else is `transient`. `sent` is
/// `nothing` only if no byte of the request was sent. The message contains only the host and the
/// reason.
ports::HttpFailure http_failure(const CurlEnd& end, std::string_view url);

}  // namespace pinwheel::host
