#include "store/aws_profile.h"

#include "unit/catch.h"

namespace pinwheel::store {

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
