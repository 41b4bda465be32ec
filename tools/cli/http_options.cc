#include "cli/http_options.h"

#include <fmt/format.h>

#include "cli/product.h"
#include "cli/workplace.h"

namespace pinwheel::cli {

host::HttpOptions http_options() {
  return {.user_agent = fmt::format("pinwheel/{}", kPinwheelVersion),
          .ca_bundle = host::ca_bundle_from(user_variables())};
}

host::HttpOptions reading_options() {
  host::HttpOptions options = http_options();
  options.connections = host::Connections::kept;
  options.netrc = host::netrc_from(user_variables());
  return options;
}

}  // namespace pinwheel::cli
