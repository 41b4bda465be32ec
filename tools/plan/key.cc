#include "plan/key.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

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

bool is_set(const env::Request& request) {
  return !request.python.empty();
}

bool is_set(const matrix::CondaSettings& conda) {
  return !conda.packages.empty();
}

template <typename V>
bool is_set(const V& value) {
  if constexpr (requires { value.empty(); }) {
    return !value.empty();
  } else {
    return value != V{};
  }
}

Json json_of(env::Purpose purpose) {
  return purpose == env::Purpose::test ? "test" : "build";
}

Json json_of(matrix::BuildNetwork network) {
  return network != matrix::BuildNetwork::none;
}

template <typename V>
Json json_of(const std::optional<V>& value) {
  return *value;
}

template <typename V>
Json json_of(const V& value) {
  if constexpr (std::is_enum_v<V>) {
    return static_cast<int>(value);
  } else {
    return value;
  }
}

template <typename T, typename Fields>
Json list_of(const T& value, const Fields& fields);
template <typename T, typename Fields>
void add_fields(Json& json, const T& value, const Fields& fields);

/// JSON makes an object of this initializer list if each list has two texts. Existing keys depend
/// on it.
template <typename Fields>
Json list_of(const matrix::CondaSettings& conda, const Fields& /*fields*/) {
  return {conda.channels, conda.packages};
}

template <typename V, typename Fields>
Json list_of(const std::vector<V>& values, const Fields& fields) {
  Json out = Json::array();
  for (const V& value : values) out.push_back(list_of(value, fields));
  return out;
}

template <typename V, typename Fields>
Json list_of(const std::map<std::string, V>& values, const Fields& fields) {
  Json out = Json::object();
  for (const auto& [name, value] : values) out[name] = list_of(value, fields);
  return out;
}

template <typename T, typename Fields>
Json object_of(const T& value, const Fields& fields) {
  Json out = Json::object();
  add_fields(out, value, fields);
  return out;
}

/// Includes the version of the program that executes the repair.
template <typename Fields>
Json object_of(const matrix::RepairSettings& repair, const Fields& /*fields*/) {
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

void add_part(Json& json, std::string_view name, Json part) {
  Json& place = json[std::string(name)];
  place = place.is_null() ? std::move(part) : Json{std::move(place), std::move(part)};
}

template <typename T, typename F>
void add_field(Json& /*json*/, const T& /*value*/, const ExcludedField<T, F>& /*field*/) {}

template <KeyShape S, InKey I, typename T, typename F, typename Nested>
void add_field(Json& json, const T& value, const KeyField<S, I, T, F, Nested>& field) {
  const F& member = value.*field.member;
  if constexpr (I == InKey::if_set) {
    if (!is_set(member)) return;
  }
  if constexpr (S == KeyShape::value) add_part(json, field.name, json_of(member));
  if constexpr (S == KeyShape::list) add_part(json, field.name, list_of(member, field.nested));
  if constexpr (S == KeyShape::object) add_part(json, field.name, object_of(member, field.nested));
  if constexpr (S == KeyShape::merged) add_fields(json, member, field.nested);
}

template <typename T, typename Fields>
void add_fields(Json& json, const T& value, const Fields& fields) {
  std::apply([&](const auto&... row) { (add_field(json, value, row), ...); }, fields);
}

template <typename T, typename F>
void add_element(Json& /*list*/, const T& /*value*/, const ExcludedField<T, F>& /*field*/) {}

template <InKey I, typename T, typename F>
void add_element(Json& list, const T& value,
                 const KeyField<KeyShape::value, I, T, F, std::tuple<>>& field) {
  const F& member = value.*field.member;
  if constexpr (I == InKey::if_set) {
    if (!is_set(member)) return;
  }
  list.push_back(json_of(member));
}

template <typename T, typename Fields>
Json list_of(const T& value, const Fields& fields) {
  Json out = Json::array();
  std::apply([&](const auto&... row) { (add_element(out, value, row), ...); }, fields);
  return out;
}

template <typename T, typename Fields>
Json action_json(std::string_view name, const T& action, const Fields& fields) {
  Json out = object_of(action, fields);
  out["action"] = name;
  return out;
}

Json to_json(const CreateEnvironment& action) {
  return action_json("environment", action, kEnvironmentFields);
}

Json to_json(const MakeToolkit& action) {
  return action_json("toolkit", action, kToolkitFields);
}

Json to_json(const BuildWheel& action) {
  return action_json("build-wheel", action, kBuildWheelFields);
}

Json to_json(const BuildSdist& action) {
  return action_json("build-sdist", action, kBuildSdistFields);
}

Json to_json(const TestWheel& action) {
  return action_json("test-wheel", action, kTestWheelFields);
}

Json to_json(const InstallWheel& action) {
  return action_json("install-wheel", action, kInstallWheelFields);
}

Json to_json(const Publish& action) {
  return action_json("publish", action, kPublishFields);
}

/// Flattens objects, so that a changed variable is reported by its name.
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
  constexpr std::array<std::string_view, 12> kAfterwards = {
      "class",  "namings", "tags",      "requires-torch", "before",        "after",
      "accept", "record",  "torch-abi", "repair",         "source.digest", "build-number"};
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

namespace {

/// Adds a text as a JSON string.
void add_text(const std::string& text, std::string& json) {
  const bool printable = std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
  if (!printable) {
    json += Json(text).dump();
    return;
  }
  json += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') json += '\\';
    json += c;
  }
  json += '"';
}

}  // namespace

std::string key_of(const KeyParts& parts) {
  // The text of `{"parts": parts, "schema": kKeySchema}`; a value of JSON would copy all parts.
  std::string json = R"({"parts":{)";
  bool first = true;
  for (const auto& [name, part] : parts) {
    if (!std::exchange(first, false)) json += ',';
    add_text(name, json);
    json += ':';
    add_text(part, json);
  }
  json += fmt::format(R"(}},"schema":{}}})", kKeySchema);
  return sha256_hex(json);
}

namespace {

/// Parts are JSON; strings read better without their quotes.
std::string without_quotes(const std::string& part) {
  const bool quoted = part.size() >= 2 && part.front() == '"' && part.back() == '"';
  return quoted ? part.substr(1, part.size() - 2) : part;
}

}  // namespace

std::string to_text(const KeyDifference& difference) {
  if (!difference.then) return difference.name + " is new";
  if (!difference.now) return difference.name + " is gone";
  if (is_sha256_hex(*difference.then) || is_sha256_hex(*difference.now)) {
    return difference.name + " changed";
  }
  return fmt::format("{}: {} -> {}", difference.name, without_quotes(*difference.then),
                     without_quotes(*difference.now));
}

}  // namespace pinwheel::plan
