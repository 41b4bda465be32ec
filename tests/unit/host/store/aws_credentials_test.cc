#include "host/store/aws_credentials.h"

#include <sys/stat.h>

#include "unit/catch.h"
#include "unit/host/scratch.h"
#include "unit/host/scripted_http.h"

namespace pinwheel::host {
namespace {

using Variables = std::map<std::string, std::string>;

constexpr const char* kStsReply =
    "<AssumeRoleWithWebIdentityResponse><AssumeRoleWithWebIdentityResult><Credentials>"
    "<AccessKeyId>ASIA1</AccessKeyId><SecretAccessKey>a&amp;b/secret</SecretAccessKey>"
    "<SessionToken>session+token==</SessionToken><Expiration>2026-01-02T04:00:00Z</Expiration>"
    "</Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>";
constexpr const char* kJsonReply =
    R"({"AccessKeyId": "ASIA2", "SecretAccessKey": "json-secret", "Token": "json-token",)"
    R"( "Expiration": "2026-01-02T04:00:00Z"})";

/// Sources of keys, with a clock that stands at 03:00.
class Sources {
 public:
  std::shared_ptr<ScriptedHttp> http = std::make_shared<ScriptedHttp>();
  std::vector<std::string> masked = {};
  int minutes = 0;

  /// Nothing of the machine is asked.
  AwsCredentials open(Variables variables) {
    variables.insert({"HOME", scratch.path().string()});
    variables.insert({"AWS_EC2_METADATA_SERVICE_ENDPOINT", "http://imds"});
    return AwsCredentials(
        {variables, http, [this](const Secret& secret) { masked.push_back(secret.reveal()); },
         [this] {
           constexpr time_t kThree = 1767322800;
           return std::chrono::system_clock::from_time_t(kThree) + std::chrono::minutes(minutes);
         }});
  }
  std::string id(const Variables& variables) {
    const Result<store::AwsKeys> keys = open(variables).keys();
    return keys ? keys->id : keys.error().message;
  }

  Scratch scratch;
};

}  // namespace

TEST_CASE("keys come from the environment first", "[store]") {
  Sources sources;
  sources.scratch.write(".aws/credentials",
                        "[default]\naws_access_key_id=P\naws_secret_access_key=profile-secret\n");
  const Variables environment = {{"AWS_ACCESS_KEY_ID", "E"},
                                 {"AWS_SECRET_ACCESS_KEY", "env-secret"},
                                 {"AWS_SESSION_TOKEN", "env-token"}};
  const Result<store::AwsKeys> keys = sources.open(environment).keys();
  REQUIRE(keys);
  CHECK(keys->id == "E");
  CHECK(keys->session_token.reveal() == "env-token");
  CHECK(sources.masked == std::vector<std::string>{"env-secret", "env-token"});
  CHECK(sources.id({}) == "P");
  CHECK(sources.http->asked.empty());
}

TEST_CASE("a profile is chosen by a variable, in either file", "[store]") {
  Sources sources;
  sources.scratch.write(".aws/config",
                        "[profile ci]\naws_access_key_id=C\naws_secret_access_key=s\n"
                        "region=eu-north-1\nendpoint_url=http://e/\n");
  const auto other =
      sources.scratch.write("other", "[ci]\naws_access_key_id=O\naws_secret_access_key=s\n");
  CHECK(sources.id({{"AWS_PROFILE", "ci"}}) == "C");
  CHECK(sources.id({{"AWS_PROFILE", "ci"}, {"AWS_SHARED_CREDENTIALS_FILE", other.string()}}) ==
        "O");
  const Variables variables = {{"AWS_PROFILE", "ci"}, {"HOME", sources.scratch.path().string()}};
  const store::AwsProfile profile = aws_profile(variables);
  CHECK(aws_region(variables, profile) == "eu-north-1");
  CHECK(aws_region({{"AWS_DEFAULT_REGION", "x"}}, profile) == "x");
  CHECK(aws_region({}, {}) == "us-east-1");
  CHECK(aws_endpoint(variables, profile, "S3") == "http://e");
  CHECK(aws_endpoint({{"AWS_ENDPOINT_URL", "http://a"}}, profile, "S3") == "http://a");
  CHECK(aws_endpoint({{"AWS_ENDPOINT_URL", "http://a"}, {"AWS_ENDPOINT_URL_S3", "http://b"}}, {},
                     "S3") == "http://b");
}

TEST_CASE("a web identity is exchanged for keys, and again before they expire", "[store]") {
  Sources sources;
  const auto token = sources.scratch.write("token", "eyJ.token.text\n");
  sources.http->replies["https://sts.eu-west-1.amazonaws.com/"] = {200, "", {}, kStsReply};
  AwsCredentials credentials = sources.open({{"AWS_WEB_IDENTITY_TOKEN_FILE", token.string()},
                                             {"AWS_ROLE_ARN", "arn:aws:iam::1:role/r"},
                                             {"AWS_REGION", "eu-west-1"}});
  const Result<store::AwsKeys> keys = credentials.keys();
  REQUIRE(keys);
  CHECK(keys->secret.reveal() == "a&b/secret");
  CHECK(sources.http->asked[0].body ==
        "Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleArn=arn%3Aaws%3Aiam%3A%3A1%3Arole"
        "%2Fr&RoleSessionName=pinwheel&WebIdentityToken=eyJ.token.text");
  CHECK(sources.masked[0] == "eyJ.token.text");
  REQUIRE(credentials.keys());
  CHECK(sources.http->asked.size() == 1);
  sources.minutes = 56;
  REQUIRE(credentials.keys());
  CHECK(sources.http->asked.size() == 2);
}

TEST_CASE("a web identity that is refused is an error, not another identity", "[store]") {
  Sources sources;
  const auto token = sources.scratch.write("token", "eyJ.token.text");
  sources.http->replies["https://sts.us-east-1.amazonaws.com/"] = {
      403, "", {}, "<Error><Code>AccessDenied</Code></Error>"};
  CHECK(sources.id({{"AWS_WEB_IDENTITY_TOKEN_FILE", token.string()}, {"AWS_ROLE_ARN", "r"}}) ==
        "`https://sts.us-east-1.amazonaws.com/` answered 403 AccessDenied");
}

TEST_CASE("a container and an instance have keys", "[store]") {
  Sources sources;
  sources.http->replies["http://169.254.170.2/v2/x"] = {200, "", {}, kJsonReply};
  CHECK(sources.id({{"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "/v2/x"},
                    {"AWS_CONTAINER_AUTHORIZATION_TOKEN", "container-token"}}) == "ASIA2");
  CHECK(sources.http->asked[0].headers[0].second == "container-token");
  sources.http->asked.clear();
  const std::string base = "http://imds/latest/";
  sources.http->replies[base + "api/token"] = {200, "", {}, "imds-token"};
  sources.http->replies[base + "meta-data/iam/security-credentials/"] = {200, "", {}, "role\n"};
  sources.http->replies[base + "meta-data/iam/security-credentials/role"] = {
      200, "", {}, kJsonReply};
  CHECK(sources.id({}) == "ASIA2");
  CHECK(sources.http->asked[0].method == "PUT");
  CHECK(sources.http->asked[2].headers[0].second == "imds-token");
  CHECK(sources.id({{"AWS_EC2_METADATA_DISABLED", "true"}}) == "there are no credentials for S3");
}

TEST_CASE("without any source there is a hint", "[store]") {
  Sources sources;
  const Result<store::AwsKeys> keys = sources.open({}).keys();
  REQUIRE_FALSE(keys);
  CHECK(keys.error().kind == ErrorKind::environment);
  CHECK(keys.error().hint.starts_with("set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"));
}

TEST_CASE("a file of credentials that is no regular file is named, and never waited for",
          "[store]") {
  Sources sources;
  const auto fifo = sources.scratch.path() / "fifo";
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  const auto huge = sources.scratch.write("huge", "[default]\n");
  std::filesystem::resize_file(huge, 40ULL << 30U);
  CHECK(sources.id({{"AWS_SHARED_CREDENTIALS_FILE", fifo.string()}}) ==
        "`" + fifo.string() + "` is not a regular file");
  CHECK(sources.id({{"AWS_CONFIG_FILE", "/dev/zero"}}) == "`/dev/zero` is not a regular file");
  CHECK(sources.id({{"AWS_SHARED_CREDENTIALS_FILE", huge.string()}}) ==
        "`" + huge.string() + "` is larger than the limit of 1.0 MB for a file of credentials");
  CHECK(sources.id({{"AWS_WEB_IDENTITY_TOKEN_FILE", fifo.string()}, {"AWS_ROLE_ARN", "r"}}) ==
        "`" + fifo.string() + "` is not a regular file");
  CHECK(sources.id({{"AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://c/"},
                    {"AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", "/dev/zero"}}) ==
        "`/dev/zero` is not a regular file");
  // The usual way to say that there is none.
  CHECK(sources.id({{"AWS_SHARED_CREDENTIALS_FILE", "/dev/null"},
                    {"AWS_CONFIG_FILE", "/dev/null"},
                    {"AWS_EC2_METADATA_DISABLED", "true"}}) == "there are no credentials for S3");
}

TEST_CASE("a server of credentials is not waited for long", "[store]") {
  Sources sources;
  CHECK(sources.open({{"AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://c/"}}).keys().has_value() ==
        false);
  REQUIRE_FALSE(sources.http->asked.empty());
  for (const auto& request : sources.http->asked) {
    CHECK(request.patience == std::chrono::seconds(5));
  }
}

}  // namespace pinwheel::host
