#include "prepare/http_options.h"

#include <fmt/format.h>

#include "prepare/product.h"
#include "prepare/workplace.h"

namespace pinwheel::prepare {

host::HttpOptions http_options(const std::map<std::string, std::string>& variables) {
  return {.user_agent = fmt::format("pinwheel/{}", kPinwheelVersion),
          .ca_bundle = host::ca_bundle_from(variables),
          .bounds = host::http_bounds_from(variables).value_or(host::HttpBounds{})};
}

host::HttpOptions reading_options(const std::map<std::string, std::string>& variables) {
  host::HttpOptions options = http_options(variables);
  options.connections = host::Connections::kept;
  options.netrc = host::netrc_from(variables);
  return options;
}

}  // namespace pinwheel::prepare
