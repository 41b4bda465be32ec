#include "session/otel_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/encoded_pairs.h"
#include "base/mask.h"
#include "base/parse_integer.h"
#include "base/text.h"
#include "base/url.h"

namespace pinwheel::session {
namespace {

using OtelVariables = std::map<std::string, std::string>;

/// A variable and its value.
struct OtelVariable {
  std::string name;
  std::string value;
};

/// The variable for traces if it is set, else that for all signals. An empty value is not set.
OtelVariable exporter_variable(const OtelVariables& variables, const std::string& suffix) {
  for (const char* const prefix : {"OTEL_EXPORTER_OTLP_TRACES_", "OTEL_EXPORTER_OTLP_"}) {
    const std::string name = prefix + suffix;
    const std::string value = value_at(variables, name);
    if (!trim(value).empty()) return {name, std::string(trim(value))};
  }
  return {};
}

Error no_effect(const std::string& name, const std::string& reason, const std::string& hint) {
  return Error{ErrorKind::config, fmt::format("{} {}", quoted(name), reason)}.with_hint(hint);
}

std::string endpoint_in(const OtelVariables& variables) {
  if (to_lower(value_at(variables, "OTEL_SDK_DISABLED")) == "true") return {};
  if (value_at(variables, "OTEL_TRACES_EXPORTER") == "none") return {};
  std::string own(trim(value_at(variables, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")));
  if (!own.empty()) return own;
  const std::string base(trim(value_at(variables, "OTEL_EXPORTER_OTLP_ENDPOINT")));
  return base.empty() ? base : std::string(without_trailing_slashes(base)) + "/v1/traces";
}

bool is_header_name(std::string_view name) {
  constexpr std::string_view kOthers = "!#$%&'*+-.^_`|~";
  return !name.empty() && std::ranges::all_of(name, [kOthers](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           kOthers.find(c) != std::string_view::npos;
  });
}

bool is_header_value(std::string_view value) {
  return std::ranges::none_of(value, [](char c) {
    return (static_cast<unsigned char>(c) < 0x20U && c != '\t') || c == '\x7f';
  });
}

constexpr const char* kListHint =
    "write `name=value,name=value`, with `%2C` for a comma in a value";

void read_headers(const OtelVariable& variable, OtelSettings& settings) {
  const EncodedPairs pairs = parse_encoded_pairs(variable.value);
  size_t wrong = pairs.malformed;
  for (const auto& [name, value] : pairs.values) {
    if (is_header_name(name) && is_header_value(value)) {
      settings.headers.emplace_back(name, Secret(value));
    } else {
      ++wrong;
    }
  }
  if (wrong == 0) return;
  settings.warnings.push_back(
      no_effect(variable.name, fmt::format("has {}, not sent", plural(wrong, "malformed header")),
                kListHint));
}

void read_timeout(const OtelVariable& variable, OtelSettings& settings) {
  if (variable.value.empty()) return;
  constexpr uint64_t kLongest = 600'000;
  const std::optional<uint64_t> number = parse_unsigned(variable.value);
  if (number && *number > 0 && *number <= kLongest) {
    settings.timeout = std::chrono::milliseconds(*number);
    return;
  }
  settings.warnings.push_back(
      no_effect(variable.name, fmt::format("cannot be {}", quoted(variable.value)),
                fmt::format("write milliseconds, from 1 to {}; 10000 is used", kLongest)));
}

void read_compression(const OtelVariable& variable, OtelSettings& settings) {
  if (variable.value == "gzip") {
    settings.compression = Compression::gzip;
  } else if (!variable.value.empty() && variable.value != "none") {
    settings.warnings.push_back(no_effect(variable.name,
                                          fmt::format("cannot be {}", quoted(variable.value)),
                                          "write `gzip` or `none`; requests are not compressed"));
  }
}

void read_resource(const OtelVariables& variables, OtelSettings& settings) {
  const std::string name = "OTEL_RESOURCE_ATTRIBUTES";
  EncodedPairs pairs = parse_encoded_pairs(value_at(variables, name));
  if (pairs.malformed > 0) {
    settings.warnings.push_back(no_effect(
        name, fmt::format("has {}", plural(pairs.malformed, "malformed attribute")), kListHint));
  }
  settings.resource = std::move(pairs.values);
  const std::string service = value_at(variables, "OTEL_SERVICE_NAME");
  if (!service.empty()) settings.resource["service.name"] = service;
}

/// Whether anything can be sent to the endpoint in that protocol; adds the reason if not.
bool is_supported(const std::string& url, const OtelVariable& protocol, OtelSettings& settings) {
  if (!protocol.value.empty() && protocol.value != "http/json") {
    settings.warnings.push_back(no_effect(
        protocol.name, fmt::format("is {}, so the trace is not exported", quoted(protocol.value)),
        "pinwheel supports `http/json`, usually on port 4318"));
    return false;
  }
  const std::optional<UrlParts> parts = split_url(url);
  const bool printable = std::ranges::none_of(
      url, [](char c) { return static_cast<unsigned char>(c) <= 0x20U || c == '\x7f'; });
  if (is_address(url) && parts && !parts->host.empty() && printable) return true;
  settings.warnings.push_back(
      no_effect("OTEL_EXPORTER_OTLP_ENDPOINT",
                fmt::format("is {}, so the trace is not exported", quoted_url(url)),
                "write the URL of a collector, such as `http://localhost:4318`"));
  return false;
}

}  // namespace

OtelSettings otel_settings(const std::map<std::string, std::string>& variables) {
  OtelSettings settings;
  const std::string url = endpoint_in(variables);
  if (url.empty()) return settings;
  if (!is_supported(url, exporter_variable(variables, "PROTOCOL"), settings)) return settings;
  settings.url = url;
  read_headers(exporter_variable(variables, "HEADERS"), settings);
  read_timeout(exporter_variable(variables, "TIMEOUT"), settings);
  read_compression(exporter_variable(variables, "COMPRESSION"), settings);
  settings.certificate = exporter_variable(variables, "CERTIFICATE").value;
  read_resource(variables, settings);
  return settings;
}

}  // namespace pinwheel::session
