#pragma once
#include <chrono>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/secret.h"

namespace pinwheel::session {

enum class Compression { none, gzip };

/// Where the spans of a run are sent, as OpenTelemetry's variables say
/// (https://opentelemetry.io/docs/specs/otel/protocol/exporter/).
struct OtelSettings {
  std::string url = {};  ///< empty: nothing is sent
  std::vector<std::pair<std::string, Secret>> headers = {};
  std::chrono::milliseconds timeout = std::chrono::seconds(10);  ///< for the whole export
  Compression compression = Compression::none;
  std::string certificate = {};  ///< a file of trusted certificates; empty: as for other requests
  /// OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME.
  std::map<std::string, std::string> resource = {};
  std::vector<Error> warnings = {};  ///< about variables that have no effect
};

/// The settings in the user's variables. OTEL_EXPORTER_OTLP_TRACES_X has precedence over
/// OTEL_EXPORTER_OTLP_X. Without an endpoint, with OTEL_SDK_DISABLED=true, or with
/// OTEL_TRACES_EXPORTER=none, nothing is sent and nothing else is read.
OtelSettings otel_settings(const std::map<std::string, std::string>& variables);

}  // namespace pinwheel::session
