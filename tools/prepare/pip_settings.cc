#include "prepare/pip_settings.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/text.h"
#include "env/commands.h"
#include "env/pass_list.h"
#include "prepare/host.h"

namespace pinwheel::prepare {
namespace {

/// The variables, in the form in which pip lists them.
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
