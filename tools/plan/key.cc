#include "plan/key.h"

#include <nlohmann/json.hpp>

#include "base/digest.h"

namespace pinwheel::plan {
namespace {

using Json = nlohmann::json;

// Raised when the meaning of a key changes, so that results of an older pinwheel are not taken for
// ours.
constexpr int kKeySchema = 1;

Json to_json(const env::Request& request) {
  return {{"python", request.python},
          {"requirements", request.requirements},
          {"torch", {request.torch.spec, request.torch.index}},
          {"toolkit", request.toolkit},
          {"toolkit-from", static_cast<int>(request.toolkit_from)}};
}

Json to_json(const Source& source) {
  return {{"requirement", source.requirement}, {"digest", source.digest}};
}

Json to_json(const std::vector<matrix::Check>& checks) {
  Json out = Json::array();
  for (const matrix::Check& check : checks) out.push_back({check.rule, check.arguments});
  return out;
}

Json to_json(const std::vector<wheel::Naming>& namings) {
  Json out = Json::array();
  for (const wheel::Naming& naming : namings) out.push_back({naming.distribution, naming.version});
  return out;
}

Json to_json(const CreateEnvironment& action) {
  return {{"action", "environment"},
          {"request", to_json(action.request)},
          {"resolution", action.resolution}};
}

Json to_json(const BuildWheel& action) {
  return {{"action", "build-wheel"},
          {"class", action.class_id},
          {"environment", to_json(action.environment)},
          {"source", to_json(action.source)},
          {"command", action.settings.build.command},
          {"arch-list", action.settings.build.arch_list},
          {"before", to_json(action.settings.checks.before)},
          {"after", to_json(action.settings.checks.after)},
          {"version", action.version},
          {"compute", action.compute},
          {"torch", action.torch},
          {"torch-abi", {static_cast<int>(action.torch_abi), action.torch_target}},
          {"variables", action.variables},
          {"namings", to_json(action.namings)},
          {"tags", {action.tags.python, action.tags.abi, action.tags.arch}},
          {"toolchain", action.toolchain},
          {"requires-torch", action.requires_torch},
          {"epoch", action.source_date_epoch},
          {"record", action.record_json}};
}

Json to_json(const BuildSdist& action) {
  return {{"action", "build-sdist"},          {"environment", to_json(action.environment)},
          {"source", to_json(action.source)}, {"name", action.distribution},
          {"version", action.version},        {"variables", action.variables},
          {"epoch", action.source_date_epoch}};
}

Json to_json(const TestWheel& action) {
  return {{"action", "test-wheel"},
          {"variant", action.variant_id},
          {"build", action.build},
          {"environment", to_json(action.environment)},
          {"pip", action.settings.pip},
          {"command", action.settings.command},
          {"hardware", static_cast<int>(action.settings.hardware)},
          {"package", action.package_name},
          {"compute", action.compute},
          {"source", to_json(action.source)},
          {"variables", action.variables}};
}

Json to_json(const Publish& action) {
  Json names = Json::object();
  for (const auto& [build, naming] : action.names) {
    names[build] = {naming.distribution, naming.version};
  }
  return {{"action", "publish"},
          {"target", action.target.name},
          {"kind", static_cast<int>(action.target.kind)},
          {"url", action.target.url},
          {"path", action.target.path},
          {"builds", action.builds},
          {"names", names},
          {"labels", action.labels},
          {"default", action.default_build},
          {"evidence", action.require_evidence}};
}

}  // namespace

std::string canonical(const Action& action) {
  return std::visit([](const auto& each) { return to_json(each); }, action).dump();
}

std::string step_key(const Action& action, const std::vector<std::string>& need_keys) {
  const Json whole = {{"schema", kKeySchema}, {"action", canonical(action)}, {"needs", need_keys}};
  return sha256_hex(whole.dump());
}

}  // namespace pinwheel::plan
