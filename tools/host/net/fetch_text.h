#pragma once
#include <string>

#include "base/result.h"
#include "ports/http.h"

namespace pinwheel::host {

/// The text at a URL; a few redirects are followed, never from https to http. `config`, with the
/// status, if the server does not have it, `transient` or `environment` if the server does not
/// respond, `check` for more than `limits::kReport`.
Result<std::string> fetch_text(ports::Http& http, const std::string& url);

}  // namespace pinwheel::host
