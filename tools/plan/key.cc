#include "plan/key.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/digest.h"
#include "env/patchelf.h"
#include "plan/record.h"

namespace pinwheel::plan {
namespace {

using Json = nlohmann::json;

// Incremented when the meaning of a key changes, so that results of an older pinwheel are not
// reused.
constexpr int kKeySchema = 3;

constexpr size_t kDigestLength = 64;

Json to_json(const env::Request& request) {
  Json json = {{"python", request.python},
               {"requirements", request.requirements},
               {"torch", {request.torch.spec, request.torch.index}},
               {"toolkit", request.toolkit},
               {"toolkit-from", static_cast<int>(request.toolkit_from)}};
  if (!request.toolkit_packages.empty()) json["toolkit-packages"] = request.toolkit_packages;
  // The image is covered by the content key in the environment's step.
  if (!request.conda.packages.empty()) {
    json["conda"] = {request.conda.channels, request.conda.packages};
    if (!request.conda_cuda.empty()) json["conda-cuda"] = request.conda_cuda;
  }
  if (request.purpose == env::Purpose::test) json["purpose"] = "test";
  return json;
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
  Json json = {{"action", "environment"},
               {"request", to_json(action.request)},
               {"resolution", action.resolution}};
  if (!action.image.empty()) json["image"] = action.image;
  return json;
}

Json to_json(const MakeToolkit& action) {
  Json json = {{"action", "toolkit"},
               {"toolkit", action.request.toolkit},
               {"toolkit-from", static_cast<int>(action.request.toolkit_from)},
               {"packages", action.packages}};
  if (!action.request.toolkit_packages.empty()) {
    json["toolkit-packages"] = action.request.toolkit_packages;
  }
  if (!action.image.empty()) json["image"] = action.image;
  return json;
}

/// What others provide is added where it is named, so that the keys of other builds stay the same.
Json with_external(Json repair, const std::vector<std::string>& external) {
  if (!external.empty()) repair["external"] = external;
  return repair;
}

Json to_json(const matrix::RepairSettings& repair) {
  switch (repair.mode) {
    case matrix::RepairMode::automatic:
      return {{"mode", "auto"}, {"patchelf", env::kPatchelfVersion}};
    case matrix::RepairMode::none:
      return {{"mode", "none"}};
    case matrix::RepairMode::command:
      break;
  }
  return {{"mode", "command"}, {"command", repair.command}};
}

/// Without an axis `libc`, as before there was one.
Json to_json(const WheelTags& tags) {
  Json out = {tags.python, tags.abi, tags.arch};
  if (!tags.libc.empty()) out.push_back(tags.libc);
  return out;
}

Json to_json(const BuildWheel& action) {
  Json json = {{"action", "build-wheel"},
               {"class", action.class_id},
               {"environment", to_json(action.environment)},
               {"source", to_json(action.source)},
               {"command", action.settings.build.command},
               {"arch-list", action.settings.build.arch_list},
               {"repair", with_external(to_json(action.settings.build.repair),
                                        action.settings.build.external)},
               {"before", to_json(action.settings.checks.before)},
               {"after", to_json(action.settings.checks.after)},
               {"version", action.version},
               {"compute", action.compute},
               {"torch", action.torch},
               {"torch-abi", {static_cast<int>(action.torch_abi), action.torch_target}},
               {"variables", action.variables},
               {"namings", to_json(action.namings)},
               {"tags", to_json(action.tags)},
               {"toolchain", action.toolchain},
               {"requires-torch", action.requires_torch},
               {"epoch", action.source_date_epoch},
               {"record", action.record_json}};
  if (action.settings.build.network != matrix::BuildNetwork::none) json["network"] = true;
  if (!action.settings.checks.accept.empty()) json["accept"] = action.settings.checks.accept;
  if (!action.secrets.empty()) json["secrets"] = action.secrets;
  if (!action.checked_in.python.empty()) json["checked-in"] = to_json(action.checked_in);
  return json;
}

Json to_json(const BuildSdist& action) {
  Json json = {{"action", "build-sdist"},          {"environment", to_json(action.environment)},
               {"source", to_json(action.source)}, {"name", action.distribution},
               {"version", action.version},        {"variables", action.variables},
               {"epoch", action.source_date_epoch}};
  if (!action.secrets.empty()) json["secrets"] = action.secrets;
  return json;
}

Json to_json(const TestWheel& action) {
  Json json = {{"action", "test-wheel"},
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
  if (!action.image.empty()) json["image"] = action.image;
  if (!action.skip.empty()) json["skip"] = action.skip;
  if (!action.operators.empty()) json["operators"] = action.operators;
  if (!action.settings.without_gpu.empty()) json["without-gpu"] = action.settings.without_gpu;
  if (!action.settings.device.empty()) json["device"] = action.settings.device;
  if (!action.secrets.empty()) json["secrets"] = action.secrets;
  return json;
}

Json to_json(const Publish& action) {
  Json names = Json::object();
  for (const auto& [build, naming] : action.names) {
    names[build] = {naming.distribution, naming.version};
  }
  Json json = {{"action", "publish"},
               {"target", action.target.name},
               {"kind", static_cast<int>(action.target.kind)},
               {"url", action.target.url},
               {"path", action.target.path},
               {"builds", action.builds},
               {"names", names},
               {"labels", action.labels},
               {"default", action.default_build},
               {"evidence", action.require_evidence}};
  if (action.target.keep_nightlies) json["keep-nightlies"] = *action.target.keep_nightlies;
  return json;
}

/// Objects are flattened, so that a changed variable is shown by its name.
void collect(const Json& json, const std::string& name, KeyParts& parts) {
  if (json.is_object()) {
    for (const auto& [key, value] : json.items()) {
      collect(value, name.empty() ? key : name + "." + key, parts);
    }
    return;
  }
  const std::string text = json.dump();
  parts[name] = text.size() <= kDigestLength ? text : sha256_hex(text);
}

}  // namespace

KeyParts key_parts(const Action& action) {
  KeyParts parts;
  collect(std::visit([](const auto& each) { return to_json(each); }, action), {}, parts);
  return parts;
}

KeyParts compile_parts(KeyParts parts) {
  constexpr std::array<std::string_view, 11> kAfterwards = {
      "class",  "namings", "tags",      "requires-torch", "before",       "after",
      "accept", "record",  "torch-abi", "repair",         "source.digest"};
  std::erase_if(parts, [&](const auto& part) {
    return std::ranges::any_of(kAfterwards, [&](std::string_view name) {
      return part.first == name || part.first.starts_with(std::string(name) + ".");
    });
  });
  return parts;
}

std::string recipe_of(const BuildWheel& action) {
  KeyParts parts = key_parts(action);
  std::erase_if(parts, [](const auto& part) {
    return part.first == "toolchain" || part.first == "record" ||
           part.first.starts_with("environment.conda");
  });
  return key_of(parts);
}

std::string wheel_record(const BuildWheel& action) {
  return with_recipe(action.record_json, recipe_of(action));
}

std::string product_of(const StepOutcome& outcome) {
  if (outcome.outputs.empty() && outcome.evidence == Evidence::none) return outcome.key;
  std::map<std::string, std::string> files;
  for (const Output& output : outcome.outputs) {
    files[std::filesystem::path(output.path).filename().string()] = output.sha256;
  }
  const Json whole = {{"files", files}, {"evidence", std::string(to_string(outcome.evidence))}};
  return sha256_hex(whole.dump());
}

KeyParts with_needs(KeyParts parts, const std::map<std::string, std::string>& products) {
  for (const auto& [id, product] : products) parts["needs " + id] = product;
  return parts;
}

std::string key_of(const KeyParts& parts) {
  return sha256_hex(Json({{"schema", kKeySchema}, {"parts", parts}}).dump());
}

}  // namespace pinwheel::plan
