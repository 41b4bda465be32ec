#pragma once
#include <string>

#include "base/result.h"
#include "ports/http.h"

namespace pinwheel::host {

/// The text at an address; redirections are followed a few times, never from https to http.
/// `config` when the server answers that there is none (names the status), `transient` or
/// `environment` when it does not answer, `check` for more than 32 MB.
Result<std::string> fetch_text(ports::Http& http, const std::string& url);

}  // namespace pinwheel::host
