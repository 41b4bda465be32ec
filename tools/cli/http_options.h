#pragma once
#include "host/net/http.h"

namespace pinwheel::cli {

/// How pinwheel speaks to an index: under its own name, trusting the certificates that the user's
/// variables name.
host::HttpOptions http_options();

/// The same for files and pages that are read: connections are kept, and ~/.netrc holds.
host::HttpOptions reading_options();

}  // namespace pinwheel::cli
