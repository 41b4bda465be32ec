#pragma once
#include <map>
#include <string>

#include "host/net/http.h"

namespace pinwheel::prepare {

/// The options for requests to an index: pinwheel's user agent, and what the user's variables name:
/// certificates, and the bounds of transfers, which `check_transfer_variables` judged.
host::HttpOptions http_options(const std::map<std::string, std::string>& variables);

/// The same for reading files and pages: connections are kept open, and ~/.netrc is used.
host::HttpOptions reading_options(const std::map<std::string, std::string>& variables);

}  // namespace pinwheel::prepare
