#include "prepare/http_options.h"

#include <fmt/format.h>

#include <utility>

#include "prepare/product.h"

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

Result<host::HttpOptions> transfer_options(const std::map<std::string, std::string>& variables,
                                           const TransferOptions& transfer) {
  host::HttpOptions options = http_options(variables);
  using Variables = std::map<std::string, std::string>;
  TRY(const Variables bounded, with_transfer(variables, transfer));
  TRY(options.bounds, host::http_bounds_from(bounded));
  return options;
}

Done check_transfer_variables(const std::map<std::string, std::string>& variables) {
  const Result<host::HttpBounds> bounds = host::http_bounds_from(variables);
  if (!bounds) return fail(bounds.error());
  return {};
}

Result<std::map<std::string, std::string>> with_transfer(
    std::map<std::string, std::string> variables, const TransferOptions& transfer) {
  if (!transfer.min_speed.empty()) variables[host::kMinSpeedVariable] = transfer.min_speed;
  if (!transfer.transfer_time.empty()) {
    variables[host::kTransferTimeVariable] = transfer.transfer_time;
  }
  TRY_DONE(check_transfer_variables(variables));
  return variables;
}

}  // namespace pinwheel::prepare
