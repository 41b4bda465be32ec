#pragma once
#include "base/result.h"
#include "ports/http.h"

namespace pinwheel::host {

/// The reply to a request for something small, such as a token. One beyond the limit of the request
/// is no answer to it, of kind `publish`; else the errors of the port.
Result<ports::HttpResponse> small_reply(ports::Http& http, const ports::HttpRequest& request);

}  // namespace pinwheel::host
