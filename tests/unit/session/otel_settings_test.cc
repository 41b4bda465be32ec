#include "session/otel_settings.h"

#include "unit/catch.h"

namespace pinwheel::session {
namespace {

using Given = std::map<std::string, std::string>;

Given with_endpoint(Given more) {
  more.emplace("OTEL_EXPORTER_OTLP_ENDPOINT", "http://localhost:4318");
  return more;
}

TEST_CASE("without an endpoint nothing is sent, and nothing else is read") {
  for (const Given& given :
       {Given{}, Given{{"OTEL_EXPORTER_OTLP_ENDPOINT", " "}},
        Given{{"OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"}, {"OTEL_EXPORTER_OTLP_TIMEOUT", "soon"}},
        with_endpoint({{"OTEL_SDK_DISABLED", "True"}}),
        with_endpoint({{"OTEL_TRACES_EXPORTER", "none"}})}) {
    const OtelSettings settings = otel_settings(given);
    CHECK(settings.url.empty());
    CHECK(settings.warnings.empty());
  }
}

TEST_CASE("traces go below the endpoint, or to their own as it is") {
  CHECK(otel_settings(with_endpoint({})).url == "http://localhost:4318/v1/traces");
  CHECK(otel_settings({{"OTEL_EXPORTER_OTLP_ENDPOINT", "https://c.example/otlp/"}}).url ==
        "https://c.example/otlp/v1/traces");
  CHECK(
      otel_settings(with_endpoint({{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "https://t.example/x"}}))
          .url == "https://t.example/x");
}

TEST_CASE("an endpoint that is no URL is a warning that hides its password") {
  for (const char* const url : {"localhost:4318", "ftp://u:canary@c.example", "http://a b",
                                "http://c\r\nX: y", "grpc://c.example"}) {
    const OtelSettings settings = otel_settings({{"OTEL_EXPORTER_OTLP_ENDPOINT", url}});
    CHECK(settings.url.empty());
    REQUIRE(settings.warnings.size() == 1);
    CHECK(settings.warnings[0].message.find("canary") == std::string::npos);
  }
}

TEST_CASE("another protocol is a warning that names the one that is supported") {
  for (const char* const protocol : {"grpc", "http/protobuf"}) {
    const OtelSettings settings =
        otel_settings(with_endpoint({{"OTEL_EXPORTER_OTLP_PROTOCOL", protocol}}));
    CHECK(settings.url.empty());
    REQUIRE(settings.warnings.size() == 1);
    CHECK(settings.warnings[0].hint.find("`http/json`") != std::string::npos);
  }
  CHECK_FALSE(otel_settings(with_endpoint({{"OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"},
                                           {"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "http/json"}}))
                  .url.empty());
}

TEST_CASE("headers are decoded, and ones that would break the request are not sent") {
  const OtelSettings settings = otel_settings(
      with_endpoint({{"OTEL_EXPORTER_OTLP_HEADERS",
                      "api-key=a%2Cb,x=1%0D%0AInjected: 2,bad name=3,word,tab=a%09b"}}));
  REQUIRE(settings.headers.size() == 2);
  CHECK(settings.headers[0].first == "api-key");
  CHECK(settings.headers[0].second.reveal() == "a,b");
  CHECK(settings.headers[1].first == "tab");
  REQUIRE(settings.warnings.size() == 1);
  CHECK(settings.warnings[0].message ==
        "`OTEL_EXPORTER_OTLP_HEADERS` has 3 malformed headers, not sent");
}

TEST_CASE("the time limit is in milliseconds") {
  const auto timeout = [](const std::string& text) {
    return otel_settings(with_endpoint({{"OTEL_EXPORTER_OTLP_TIMEOUT", text}}));
  };
  CHECK(timeout("").timeout == std::chrono::seconds(10));
  CHECK(timeout("250").timeout == std::chrono::milliseconds(250));
  for (const char* const text : {"0", "-5", "10s", "99999999999"}) {
    CHECK(timeout(text).timeout == std::chrono::seconds(10));
    CHECK(timeout(text).warnings.size() == 1);
  }
}

TEST_CASE("compression, certificate and resource") {
  const OtelSettings settings = otel_settings(
      with_endpoint({{"OTEL_EXPORTER_OTLP_COMPRESSION", "gzip"},
                     {"OTEL_EXPORTER_OTLP_CERTIFICATE", "ca.pem"},
                     {"OTEL_RESOURCE_ATTRIBUTES", "team=a%20b,service.name=attribute"},
                     {"OTEL_SERVICE_NAME", "named"}}));
  CHECK(settings.compression == Compression::gzip);
  CHECK(settings.certificate == "ca.pem");
  CHECK(settings.resource == Given{{"team", "a b"}, {"service.name", "named"}});
  CHECK(settings.warnings.empty());
  CHECK(
      otel_settings(with_endpoint({{"OTEL_EXPORTER_OTLP_COMPRESSION", "zstd"}})).warnings.size() ==
      1);
}

}  // namespace
}  // namespace pinwheel::session
