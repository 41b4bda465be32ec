#include "prepare/http_options.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/text.h"
#include "env/commands.h"
#include "env/pass_list.h"
#include "host/index/upload.h"
#include "prepare/host.h"

namespace pinwheel::prepare {

host::HttpOptions http_options(const std::map<std::string, std::string>& variables) {
  return {.user_agent = fmt::format("pinwheel/{}", kPinwheelVersion),
          .ca_bundle = host::ca_bundle_from(variables),
          .bounds = host::http_bounds_from(variables).value_or(host::HttpBounds{})};
}

host::HttpOptions reading_options(const std::map<std::string, std::string>& variables) {
  host::HttpOptions options = http_options(variables);
  options.connections = host::Connections::reused;
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
  const Result<size_t> uploads = host::uploads_at_once(variables, {});
  if (!uploads) return fail(uploads.error());
  return {};
}

Result<std::map<std::string, std::string>> with_transfer(
    std::map<std::string, std::string> variables, const TransferOptions& transfer) {
  if (!transfer.min_speed.empty()) variables[host::kMinSpeedVariable] = transfer.min_speed;
  if (!transfer.transfer_time.empty()) {
    variables[host::kTransferTimeVariable] = transfer.transfer_time;
  }
  if (!transfer.uploads.empty()) variables[host::kUploadsVariable] = transfer.uploads;
  TRY_DONE(check_transfer_variables(variables));
  return variables;
}

namespace {

/// The variables in the format of `pip config list`.
std::string listed_variables(const std::map<std::string, std::string>& variables) {
  constexpr std::array<std::pair<const char*, const char*>, 5> kSettings = {
      {{"PIP_INDEX_URL", "index-url"},
       {"PIP_EXTRA_INDEX_URL", "extra-index-url"},
       {"PIP_FIND_LINKS", "find-links"},
       {"PIP_NO_INDEX", "no-index"},
       {"PIP_CERT", "cert"}}};
  std::string text;
  for (const auto& [variable, name] : kSettings) {
    const std::string value = value_at(variables, variable);
    if (!value.empty()) text += fmt::format(":env:.{}='{}'\n", name, value);
  }
  return text;
}

}  // namespace

env::PipIndexes pip_settings(const Host& host, const ports::LogHandle& log) {
  const OpenMachine local = host.machine(outside_run(host, log));
  const Result<ports::Captured> ran = local->process.capture(
      {env::pip_argv("python3", {"config", "list"}),
       {},
       env::variables_for(env::Helper::python, env::helper_variables(host.variables))});
  const bool listed = ran && ran->exit.ok();
  return env::configured_indexes(listed ? ran->out : listed_variables(host.variables));
}

}  // namespace pinwheel::prepare
