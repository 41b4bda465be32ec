#include "base/encoded_pairs.h"

#include "unit/catch.h"

namespace pinwheel {
namespace {

using Values = std::map<std::string, std::string>;

TEST_CASE("encoded pairs are decoded, without the spaces around them") {
  CHECK(parse_encoded_pairs("a=1, b = two%20words ,c=x%3Dy=z,").values ==
        Values{{"a", "1"}, {"b", "two words"}, {"c", "x=y=z"}});
  CHECK(parse_encoded_pairs("a=1,a=2,b=").values == Values{{"a", "2"}, {"b", ""}});
  CHECK(parse_encoded_pairs("").values.empty());
}

TEST_CASE("entries without a name or a value are counted") {
  const EncodedPairs pairs = parse_encoded_pairs("word,=value,a=1, ,");
  CHECK(pairs.values == Values{{"a", "1"}});
  CHECK(pairs.malformed == 2);
}

TEST_CASE("the values of headers are secrets, and a token without its scheme as well") {
  CHECK(names_otlp_headers("OTEL_EXPORTER_OTLP_HEADERS"));
  CHECK(names_otlp_headers("OTEL_EXPORTER_OTLP_TRACES_HEADERS"));
  CHECK_FALSE(names_otlp_headers("OTEL_EXPORTER_OTLP_ENDPOINT"));
  std::vector<std::string> secrets;
  for (const Secret& secret : secrets_in_headers("authorization=Bearer%20canary-token,x-key=k")) {
    secrets.push_back(secret.reveal());
  }
  CHECK(secrets == std::vector<std::string>{"Bearer canary-token", "canary-token", "k"});
}

TEST_CASE("a plain word in a header is no secret, unless the header is one for credentials") {
  CHECK(secrets_in_headers("x-honeycomb-dataset=pinwheel,x-scope-orgid=production").empty());
  CHECK(is_secret_header("x-honeycomb-team", "word"));
  CHECK(is_secret_header("Api-Key", "word"));
  CHECK(is_secret_header("x-custom", "a1b2"));
}

}  // namespace
}  // namespace pinwheel
