#include "store/aws.h"

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/digest.h"
#include "unit/catch.h"
#include "unit/source_tree_path.h"

namespace pinwheel::store {
namespace {

NameValues pairs(const nlohmann::json& json) {
  NameValues out;
  for (const nlohmann::json& one : json) {
    out.emplace_back(one[0].get<std::string>(), one[1].get<std::string>());
  }
  return out;
}

std::string value_of(const NameValues& headers, std::string_view name) {
  for (const auto& [key, value] : headers) {
    if (key == name) return value;
  }
  return {};
}

}  // namespace

TEST_CASE("requests are signed as botocore signs them", "[store]") {
  // Written by tests/scripts/make_signatures.py.
  std::ifstream file(in_source_tree("tests/data/store/signatures.json"));
  const nlohmann::json data = nlohmann::json::parse(file);
  const auto now = std::chrono::system_clock::from_time_t(data["now"].get<time_t>());
  REQUIRE(data["requests"].size() >= 14);
  for (const nlohmann::json& one : data["requests"]) {
    CAPTURE(one["name"].get<std::string>());
    const AwsRequest request{one["method"],       one["host"],           one["path"],
                             pairs(one["query"]), pairs(one["headers"]), one["payload"]};
    const AwsKeys keys{data["id"], Secret(data["secret"]), Secret(one["token"])};
    const NameValues headers = signed_headers(request, keys, {one["region"], "s3", now});
    CHECK(value_of(headers, "Authorization") == one["authorization"].get<std::string>());
    CHECK(value_of(headers, "x-amz-date") == "20260102T030405Z");
    CHECK(value_of(headers, "x-amz-content-sha256") == one["payload"].get<std::string>());
    CHECK(value_of(headers, "x-amz-security-token") == one["token"].get<std::string>());
  }
}

TEST_CASE("HMAC is that of RFC 4231", "[store]") {
  CHECK(to_hex(hmac_sha256("Jefe", "what do ya want for nothing?")) ==
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  CHECK(to_hex(hmac_sha256(std::string(131, '\xaa'),
                           "Test Using Larger Than Block-Size Key - Hash Key First")) ==
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST_CASE("paths and queries are encoded for the request as they are signed", "[store]") {
  CHECK(encoded_path("/b/a b+c%/~x") == "/b/a%20b%2Bc%25/~x");
  CHECK(encoded_query({{"uploadId", "a/b=="}, {"partNumber", "2"}, {"acl", ""}}) ==
        "acl=&partNumber=2&uploadId=a%2Fb%3D%3D");
  CHECK(encoded_query({}).empty());
}

TEST_CASE("a profile is read from its section", "[store]") {
  const std::string config =
      "# comment\n[default]\nregion = eu-west-1\n\n[profile  ci ]\nregion=us-west-2\ns3 =\n"
      "  addressing_style = virtual\n  max = 3\nendpoint_url = https://e:9000/\n[ci]\nregion = "
      "no\n";
  CHECK(parse_aws_profile(config, AwsFile::config, "default") ==
        AwsProfile{{"region", "eu-west-1"}});
  CHECK(parse_aws_profile(config, AwsFile::config, "ci") ==
        AwsProfile{{"region", "us-west-2"},
                   {"s3.addressing_style", "virtual"},
                   {"s3.max", "3"},
                   {"endpoint_url", "https://e:9000/"}});
  CHECK(parse_aws_profile(config, AwsFile::config, "other").empty());
}

TEST_CASE("sections of the credentials file have the name alone", "[store]") {
  const std::string text = "[ci]\naws_access_key_id = A\r\naws_secret_access_key=b=c\n";
  CHECK(parse_aws_profile(text, AwsFile::credentials, "ci") ==
        AwsProfile{{"aws_access_key_id", "A"}, {"aws_secret_access_key", "b=c"}});
  CHECK(parse_aws_profile("[profile ci]\na = b\n", AwsFile::credentials, "ci").empty());
  CHECK(parse_aws_profile("a = b\n=\n[\n[]\n", AwsFile::credentials, "ci").empty());
}

}  // namespace pinwheel::store
