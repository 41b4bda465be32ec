#include "plan/key.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "base/digest.h"
#include "base/json_text.h"
#include "env/patchelf.h"
#include "plan/record.h"
#include "plan/step_id.h"

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

/// The parts of a key while they are collected: the value of each is the whole text of its JSON.
class PartWriter {
 public:
  void add(std::string name, std::string text) {
    // The parts of a large map come in order.
    auto at = last_ == parts_.end() ? parts_.begin() : std::next(last_);
    const bool follows =
        (last_ == parts_.end() || last_->first < name) && (at == parts_.end() || name < at->first);
    if (!follows) at = parts_.lower_bound(name);
    if (!follows && at != parts_.end() && at->first == name) {
      at->second.insert(0, "[").append(",").append(text).append("]");
      return;
    }
    last_ = parts_.emplace_hint(at, std::move(name), std::move(text));
  }

  KeyParts finish() && {
    for (auto& [name, text] : parts_) {
      if (text.size() > kDigestLength) text = sha256_hex(text);
    }
    return std::move(parts_);
  }

 private:
  KeyParts parts_;
  KeyParts::iterator last_ = parts_.end();  ///< the last one that was added
};

std::string json_text(const std::string& value) {
  std::string text;
  append_json_text(value, text);
  return text;
}

std::string json_text(const std::vector<std::string>& values) {
  std::string text;
  append_json_list(values, text);
  return text;
}

std::string json_text(env::Purpose purpose) {
  return purpose == env::Purpose::test ? "\"test\"" : "\"build\"";
}

std::string json_text(matrix::BuildNetwork network) {
  return network != matrix::BuildNetwork::none ? "true" : "false";
}

template <typename V>
std::string json_text(const V& value) {
  if constexpr (std::is_enum_v<V>) {
    return std::to_string(static_cast<int>(value));
  } else if constexpr (std::is_integral_v<V> && !std::is_same_v<V, bool>) {
    return std::to_string(value);
  } else {
    return Json(value).dump();
  }
}

/// Where the parts of a struct go, and the beginning of their names: "environment.".
struct PartPlace {
  PartWriter& parts;
  std::string prefix = {};

  void add(std::string_view name, std::string text) const {
    parts.add(prefix + std::string(name), std::move(text));
  }
  PartPlace below(std::string_view name) const { return {parts, prefix + std::string(name) + "."}; }
};

template <typename V>
void add_value(const PartPlace& place, std::string_view name, const V& value) {
  place.add(name, json_text(value));
}

template <typename V>
void add_value(const PartPlace& place, std::string_view name, const std::optional<V>& value) {
  add_value(place, name, *value);
}

/// A changed variable is reported by its name, so it is a part of its own.
template <typename V>
void add_value(const PartPlace& place, std::string_view name,
               const std::map<std::string, V>& values) {
  const PartPlace inside = place.below(name);
  for (const auto& [key, value] : values) add_value(inside, key, value);
}

template <typename T, typename Fields>
std::string list_text(const T& value, const Fields& fields);
template <typename T, typename Fields>
void add_fields(const PartPlace& place, const T& value, const Fields& fields);

template <typename V, typename Fields>
std::string list_text(const std::vector<V>& values, const Fields& fields) {
  std::string text = "[";
  for (const V& value : values) {
    if (text.size() > 1) text += ',';
    text += list_text(value, fields);
  }
  return text + "]";
}

template <typename T, typename Fields>
void add_list(const PartPlace& place, std::string_view name, const T& value, const Fields& fields) {
  place.add(name, list_text(value, fields));
}

template <typename V, typename Fields>
void add_list(const PartPlace& place, std::string_view name, const std::map<std::string, V>& values,
              const Fields& fields) {
  const PartPlace inside = place.below(name);
  for (const auto& [key, value] : values) add_list(inside, key, value, fields);
}

/// JSON makes an object of this initializer list if each list has two texts. Existing keys depend
/// on it.
template <typename Fields>
void add_list(const PartPlace& place, std::string_view name, const matrix::CondaSettings& conda,
              const Fields& /*fields*/) {
  const Json list = {conda.channels, conda.packages};
  if (!list.is_object()) return place.add(name, list.dump());
  const PartPlace inside = place.below(name);
  for (const auto& [key, value] : list.items()) inside.add(key, value.dump());
}

template <typename T, typename Fields>
void add_object(const PartPlace& place, const T& value, const Fields& fields) {
  add_fields(place, value, fields);
}

/// Includes the version of the program that executes the repair.
template <typename Fields>
void add_object(const PartPlace& place, const matrix::RepairSettings& repair,
                const Fields& /*fields*/) {
  switch (repair.mode) {
    case matrix::RepairMode::automatic:
      place.add("mode", "\"auto\"");
      place.add("patchelf", json_text(std::string(env::kPatchelfVersion)));
      return;
    case matrix::RepairMode::none:
      place.add("mode", "\"none\"");
      return;
    case matrix::RepairMode::command:
      break;
  }
  place.add("mode", "\"command\"");
  place.add("command", json_text(repair.command));
}

template <typename T, typename F>
void add_field(const PartPlace& /*place*/, const T& /*value*/,
               const ExcludedField<T, F>& /*field*/) {}

template <KeyShape S, InKey I, typename T, typename F, typename Nested>
void add_field(const PartPlace& place, const T& value, const KeyField<S, I, T, F, Nested>& field) {
  const F& member = value.*field.member;
  if constexpr (I == InKey::if_set) {
    if (!is_set(member)) return;
  }
  if constexpr (S == KeyShape::value) add_value(place, field.name, member);
  if constexpr (S == KeyShape::list) add_list(place, field.name, member, field.nested);
  if constexpr (S == KeyShape::object) add_object(place.below(field.name), member, field.nested);
  if constexpr (S == KeyShape::merged) add_fields(place, member, field.nested);
}

template <typename T, typename Fields>
void add_fields(const PartPlace& place, const T& value, const Fields& fields) {
  std::apply([&](const auto&... row) { (add_field(place, value, row), ...); }, fields);
}

template <typename T, typename F>
void add_element(std::string& /*list*/, const T& /*value*/, const ExcludedField<T, F>& /*field*/) {}

template <InKey I, typename T, typename F>
void add_element(std::string& list, const T& value,
                 const KeyField<KeyShape::value, I, T, F, std::tuple<>>& field) {
  const F& member = value.*field.member;
  if constexpr (I == InKey::if_set) {
    if (!is_set(member)) return;
  }
  if (list.size() > 1) list += ',';
  list += json_text(member);
}

template <typename T, typename Fields>
std::string list_text(const T& value, const Fields& fields) {
  std::string text = "[";
  std::apply([&](const auto&... row) { (add_element(text, value, row), ...); }, fields);
  return text + "]";
}

template <typename T, typename Fields>
KeyParts parts_with(std::string_view name, const T& action, const Fields& fields) {
  PartWriter parts;
  const PartPlace place{parts};
  add_fields(place, action, fields);
  place.add("action", json_text(std::string(name)));
  return std::move(parts).finish();
}

KeyParts parts_of(const CreateEnvironment& action) {
  return parts_with("environment", action, kEnvironmentFields);
}

KeyParts parts_of(const MakeToolkit& action) {
  return parts_with("toolkit", action, kToolkitFields);
}

KeyParts parts_of(const BuildWheel& action) {
  return parts_with("build-wheel", action, kBuildWheelFields);
}

KeyParts parts_of(const CompileDeviceCode& action) {
  return parts_with("device-code", action, kCompileDeviceCodeFields);
}

KeyParts parts_of(const BuildSdist& action) {
  return parts_with("build-sdist", action, kBuildSdistFields);
}

KeyParts parts_of(const TestWheel& action) {
  return parts_with("test-wheel", action, kTestWheelFields);
}

KeyParts parts_of(const InstallWheel& action) {
  return parts_with("install-wheel", action, kInstallWheelFields);
}

KeyParts parts_of(const Publish& action) {
  return parts_with("publish", action, kPublishFields);
}

}  // namespace

KeyParts key_parts(const Action& action) {
  return std::visit([](const auto& each) { return parts_of(each); }, action);
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
  for (const auto& [id, product] : products) {
    if (!compiles_device_code(id)) parts["needs " + id] = product;
  }
  return parts;
}

namespace {

/// Writes the text of `{"parts": parts, "schema": kKeySchema}`; a value of JSON would copy all
/// parts.
class KeyText {
 public:
  void add(std::string_view name, std::string_view part) {
    if (json_.size() > kBegin.size()) json_ += ',';
    append_json_text(name, json_);
    json_ += ':';
    append_json_text(part, json_);
  }

  std::string digest() && {
    fmt::format_to(std::back_inserter(json_), R"(}},"schema":{}}})", kKeySchema);
    return sha256_hex(json_);
  }

 private:
  static constexpr std::string_view kBegin = R"({"parts":{)";
  std::string json_ = std::string(kBegin);
};

}  // namespace

std::string key_of(const KeyParts& parts) {
  KeyText text;
  for (const auto& [name, part] : parts) text.add(name, part);
  return std::move(text).digest();
}

std::string key_of(const KeyParts& parts, Products products) {
  std::erase_if(products, [](const auto& product) { return compiles_device_code(product.first); });
  std::ranges::sort(products);
  products.erase(std::unique(products.begin(), products.end()), products.end());
  KeyText text;
  auto own = parts.begin();
  std::string name;
  for (const auto& [id, product] : products) {
    name.assign("needs ").append(id);
    while (own != parts.end() && own->first < name) {
      text.add(own->first, own->second);
      ++own;
    }
    text.add(name, product);
  }
  for (; own != parts.end(); ++own) text.add(own->first, own->second);
  return std::move(text).digest();
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
