#include "wheel/variant_metadata.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/json.h"
#include "base/limits.h"
#include "base/text.h"

namespace pinwheel::wheel {
namespace {

using VariantJson = nlohmann::json;
using pep::VariantDraft;

constexpr const char* kSchema = "$schema";
constexpr const char* kPriorities = "default-priorities";
constexpr const char* kNamespace = "namespace";
constexpr const char* kProviders = "providers";
constexpr const char* kVariants = "variants";
constexpr const char* kRequires = "requires";
constexpr const char* kPluginApi = "plugin-api";
constexpr const char* kStatic = "static-properties";
constexpr const char* kOrder = "feature-order";
constexpr const char* kBuiltin = "builtin";
constexpr const char* kOptional = "optional";

/// The schemas of the drafts, that which is written first.
constexpr std::array<std::pair<std::string_view, VariantDraft>, 3> kSchemas = {
    {{"https://variants-schema.wheelnext.dev/peps/850/v0.2.0.json", VariantDraft::pep850},
     {"https://variants-schema.wheelnext.dev/peps/825/v0.1.1.json", VariantDraft::pep825},
     // As variantlib 0.2.2 writes it.
     {"https://variants-schema.wheelnext.dev/v0.2.0.json", VariantDraft::pep850}}};

tl::unexpected<Error> bad_variant(const std::string& why) {
  return fail(ErrorKind::check, "the metadata of the wheel variant is invalid: " + why);
}

/// That the object has no keys but these.
Done check_keys(const VariantJson& json, const std::string& what,
                std::initializer_list<const char*> keys) {
  if (!json.is_object()) return bad_variant(what + " is not an object");
  for (auto each = json.begin(); each != json.end(); ++each) {
    const bool known =
        std::any_of(keys.begin(), keys.end(), [&](const char* key) { return each.key() == key; });
    if (!known) return bad_variant(quoted(each.key()) + " of " + what + " is not known");
  }
  return {};
}

using IsWord = bool (*)(std::string_view);

/// A list of one or more texts, each once.
Result<std::vector<std::string>> read_words(const VariantJson& json, const std::string& what,
                                            IsWord is_word) {
  if (!json.is_array() || json.empty()) return bad_variant(what + " is not a list of texts");
  std::vector<std::string> words;
  std::set<std::string> seen;
  for (const VariantJson& each : json) {
    if (!each.is_string()) return bad_variant(what + " is not a list of texts");
    words.push_back(each.get<std::string>());
    if (!is_word(words.back())) {
      return bad_variant(quoted(words.back()) + " is not allowed in " + what);
    }
    if (!seen.insert(words.back()).second) {
      return bad_variant(what + " has " + quoted(words.back()) + " twice");
    }
  }
  return words;
}

/// Lists by name; those of a variant are sets, and sorted.
enum class Order { any, sorted };
using FeatureValues = std::map<std::string, std::vector<std::string>>;

Result<FeatureValues> read_features(const VariantJson& json, const std::string& what, Order order) {
  if (!json.is_object() || json.empty()) return bad_variant(what + " has no features");
  FeatureValues features;
  for (auto each = json.begin(); each != json.end(); ++each) {
    if (!pep::is_variant_name(each.key())) {
      return bad_variant(quoted(each.key()) + " is not the name of a feature");
    }
    TRY(std::vector<std::string> values,
        read_words(each.value(), quoted(each.key()), pep::is_variant_value));
    if (order == Order::sorted) std::sort(values.begin(), values.end());
    features.emplace(each.key(), std::move(values));
  }
  return features;
}

Result<VariantProperties> read_properties(const VariantJson& json, const std::string& label) {
  if (!json.is_object()) return bad_variant("the variant " + quoted(label) + " is not an object");
  VariantProperties properties;
  for (auto each = json.begin(); each != json.end(); ++each) {
    if (!pep::is_variant_name(each.key())) {
      return bad_variant(quoted(each.key()) + " is not a namespace");
    }
    TRY(properties[each.key()], read_features(each.value(), quoted(each.key()), Order::sorted));
  }
  return properties;
}

Result<std::map<std::string, VariantProperties>> read_variants(const VariantJson& json) {
  if (!json.is_object() || json.empty()) return bad_variant("it has no variants");
  std::map<std::string, VariantProperties> variants;
  for (auto each = json.begin(); each != json.end(); ++each) {
    const std::string& label = each.key();
    if (!pep::is_variant_label(label)) return bad_variant(quoted(label) + " is not a label");
    TRY(variants[label], read_properties(each.value(), label));
  }
  return variants;
}

bool is_requirement(std::string_view text) {
  return !text.empty() && std::none_of(text.begin(), text.end(),
                                       [](char c) { return static_cast<unsigned char>(c) < ' '; });
}

Result<std::optional<std::string>> read_text(const VariantJson& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end()) return std::nullopt;
  if (!found->is_string()) return bad_variant(quoted(key) + " is not a text");
  return found->get<std::string>();
}

/// Exactly one kind of provider, and only the keys of that kind.
Done check_kind(const VariantProvider& provider, const std::string& what) {
  const int kinds = (provider.requirements.empty() ? 0 : 1) +
                    (provider.static_properties.empty() ? 0 : 1) + (provider.builtin ? 1 : 0);
  if (kinds != 1) {
    return bad_variant(what + " needs one of `requires`, `static-properties` and `builtin`");
  }
  if (provider.plugin_api && provider.requirements.empty()) {
    return bad_variant("`plugin-api` of " + what + " needs `requires`");
  }
  std::set<std::string> ordered(provider.feature_order.begin(), provider.feature_order.end());
  std::set<std::string> features;
  for (const auto& [feature, values] : provider.static_properties) features.insert(feature);
  const bool needs_order = features.size() > 1 || !ordered.empty();
  if (needs_order && ordered != features) {
    return bad_variant("`feature-order` of " + what + " does not name all of its features");
  }
  return {};
}

Result<VariantProvider> read_provider(const VariantJson& json, const std::string& name) {
  const std::string what = "the provider " + quoted(name);
  TRY_DONE(check_keys(json, what, {kRequires, kPluginApi, kStatic, kOrder, kBuiltin, kOptional}));
  VariantProvider provider;
  if (json.contains(kRequires)) {
    TRY(provider.requirements, read_words(json[kRequires], quoted(kRequires), is_requirement));
  }
  TRY(provider.plugin_api, read_text(json, kPluginApi));
  TRY(provider.builtin, read_text(json, kBuiltin));
  if (json.contains(kStatic)) {
    TRY(provider.static_properties, read_features(json[kStatic], quoted(kStatic), Order::any));
  }
  if (json.contains(kOrder)) {
    TRY(provider.feature_order, read_words(json[kOrder], quoted(kOrder), pep::is_variant_name));
  }
  if (json.contains(kOptional)) {
    if (!json[kOptional].is_boolean()) return bad_variant("`optional` is not true or false");
    provider.optional = json[kOptional].get<bool>();
  }
  TRY_DONE(check_kind(provider, what));
  return provider;
}

Done read_providers(const VariantJson& json, VariantMetadata& metadata) {
  if (metadata.draft != VariantDraft::pep850) return {};
  if (!json.contains(kProviders) || !json[kProviders].is_object()) {
    return bad_variant("`providers` is missing");
  }
  const VariantJson& providers = json[kProviders];
  for (auto each = providers.begin(); each != providers.end(); ++each) {
    TRY(metadata.providers[each.key()], read_provider(each.value(), each.key()));
  }
  for (const std::string& name : metadata.namespaces) {
    if (!metadata.providers.contains(name)) return bad_variant(quoted(name) + " has no provider");
  }
  if (metadata.providers.size() == metadata.namespaces.size()) return {};
  return bad_variant("`providers` has more namespaces than `default-priorities`");
}

Done check_variants(const VariantMetadata& metadata) {
  for (const auto& [label, properties] : metadata.variants) {
    if (properties.empty() != (label == pep::kNullVariant)) {
      return bad_variant(label == pep::kNullVariant
                             ? "the variant `null` has properties"
                             : "the variant " + quoted(label) + " has no properties");
    }
    for (const auto& [name, features] : properties) {
      const auto& known = metadata.namespaces;
      if (std::find(known.begin(), known.end(), name) == known.end()) {
        return bad_variant(quoted(name) + " is missing from `default-priorities`");
      }
    }
  }
  return {};
}

/// The parts that only the current drafts define.
Done read_draft(const VariantJson& json, VariantMetadata& metadata) {
  if (metadata.draft == VariantDraft::pep850) {
    TRY_DONE(check_keys(json, "the file", {kSchema, kPriorities, kProviders, kVariants}));
  } else {
    TRY_DONE(check_keys(json, "the file", {kSchema, kPriorities, kVariants}));
  }
  if (!json.contains(kPriorities)) return bad_variant("`default-priorities` is missing");
  TRY_DONE(check_keys(json[kPriorities], quoted(kPriorities), {kNamespace}));
  if (!json[kPriorities].contains(kNamespace)) return bad_variant("`namespace` is missing");
  TRY(metadata.namespaces,
      read_words(json[kPriorities][kNamespace], quoted(kNamespace), pep::is_variant_name));
  TRY_DONE(read_providers(json, metadata));
  return check_variants(metadata);
}

VariantJson provider_json(const VariantProvider& provider) {
  VariantJson out = VariantJson::object();
  if (!provider.requirements.empty()) out[kRequires] = provider.requirements;
  if (provider.plugin_api) out[kPluginApi] = *provider.plugin_api;
  if (!provider.static_properties.empty()) out[kStatic] = provider.static_properties;
  if (!provider.feature_order.empty()) out[kOrder] = provider.feature_order;
  if (provider.builtin) out[kBuiltin] = *provider.builtin;
  if (provider.optional) out[kOptional] = *provider.optional;
  return out;
}

}  // namespace

std::string_view schema_of(VariantDraft draft) {
  const auto* const found =
      std::find_if(kSchemas.begin(), kSchemas.end(),
                   [draft](const auto& schema) { return schema.second == draft; });
  return found == kSchemas.end() ? std::string_view{} : found->first;
}

std::vector<std::string> property_lines(const VariantProperties& properties) {
  std::vector<std::string> lines;
  for (const auto& [name, features] : properties) {
    for (const auto& [feature, values] : features) {
      for (const std::string& value : values) {
        lines.push_back(to_string(pep::VariantProperty{name, feature, value}));
      }
    }
  }
  return lines;
}

Result<VariantMetadata> parse_variant_metadata(std::string_view text) {
  TRY_DONE(check_size("the file", text.size(), limits::kVariantMetadata));
  const VariantJson json = read_json(text);
  if (!json.is_object()) return bad_variant("it is not a JSON object");
  VariantMetadata metadata;
  TRY(const std::optional<std::string> schema, read_text(json, kSchema));
  if (!schema) return bad_variant("`$schema` is missing");
  metadata.schema = *schema;
  for (const auto& [url, draft] : kSchemas) {
    if (url == metadata.schema) metadata.draft = draft;
  }
  if (!json.contains(kVariants)) return bad_variant("`variants` is missing");
  TRY(metadata.variants, read_variants(json[kVariants]));
  if (metadata.draft) TRY_DONE(read_draft(json, metadata));
  return metadata;
}

std::string to_string(const VariantMetadata& metadata) {
  VariantJson json;
  json[kSchema] = metadata.schema;
  json[kPriorities][kNamespace] = metadata.namespaces;
  if (!metadata.providers.empty()) {
    for (const auto& [name, provider] : metadata.providers) {
      json[kProviders][name] = provider_json(provider);
    }
  }
  json[kVariants] = VariantJson::object();
  for (const auto& [label, properties] : metadata.variants) {
    json[kVariants][label] = properties.empty() ? VariantJson::object() : VariantJson(properties);
  }
  return json.dump(4, ' ', false, VariantJson::error_handler_t::replace) + "\n";
}

}  // namespace pinwheel::wheel
