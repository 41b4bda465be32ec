#include "host/store/aws_credentials.h"

#include <fmt/format.h>
#include <time.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "base/json.h"
#include "base/mask.h"
#include "base/text.h"
#include "base/url.h"
#include "host/store/xml_value.h"
#include "host/system/files.h"

namespace pinwheel::host {
namespace {

using TimePoint = std::chrono::system_clock::time_point;

/// Keys are fetched again this long before they expire.
constexpr auto kBeforeExpiry = std::chrono::minutes(5);
constexpr int kAnswered = 200;
constexpr auto kCredentialPatience = std::chrono::seconds(5);

/// "2026-01-02T03:04:05Z"; nullopt for anything else.
std::optional<TimePoint> parse_time(const std::string& text) {
  tm parts = {};
  const char* end = ::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &parts);
  if (end == nullptr) return std::nullopt;
  return std::chrono::system_clock::from_time_t(::timegm(&parts));
}

std::string read_or_nothing(const std::filesystem::path& path) {
  return LocalFiles().read(path, limits::kCredentials).value_or(std::string());
}

std::filesystem::path aws_file(const std::map<std::string, std::string>& environment,
                               const std::string& variable, const std::string& name) {
  const std::string given = value_at(environment, variable);
  if (!given.empty()) return given;
  return std::filesystem::path(value_at(environment, "HOME")) / ".aws" / name;
}

/// An error for an existing file that cannot be read.
Done check_readable(const std::filesystem::path& path) {
  const Result<std::string> text = LocalFiles().read(path, limits::kCredentials);
  std::error_code absent;
  if (text || !std::filesystem::exists(path, absent)) return {};
  Error error = text.error();
  error.kind = ErrorKind::environment;
  return fail(std::move(error));
}

/// The first nonempty value.
std::string first_of(std::initializer_list<std::string> values) {
  for (const std::string& value : values) {
    if (!value.empty()) return value;
  }
  return {};
}

std::string form(const store::NameValues& fields) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : fields) parts.push_back(name + "=" + encode_segment(value));
  return join(parts, "&");
}

ports::HttpRequest quick_request(std::string url) {
  ports::HttpRequest request;
  request.url = std::move(url);
  request.connect_timeout = std::chrono::seconds(2);
  request.patience = kCredentialPatience;
  request.body_limit = limits::kTokenReply;
  return request;
}

}  // namespace

store::AwsProfile aws_profile(const std::map<std::string, std::string>& environment) {
  const std::string name = first_of({value_at(environment, "AWS_PROFILE"),
                                     value_at(environment, "AWS_DEFAULT_PROFILE"), "default"});
  store::AwsProfile profile = store::parse_aws_profile(
      read_or_nothing(aws_file(environment, "AWS_SHARED_CREDENTIALS_FILE", "credentials")),
      store::AwsFile::credentials, name);
  profile.merge(
      store::parse_aws_profile(read_or_nothing(aws_file(environment, "AWS_CONFIG_FILE", "config")),
                               store::AwsFile::config, name));
  return profile;
}

std::string aws_region(const std::map<std::string, std::string>& environment,
                       const store::AwsProfile& profile) {
  return first_of({value_at(environment, "AWS_REGION"), value_at(environment, "AWS_DEFAULT_REGION"),
                   value_at(profile, "region"), "us-east-1"});
}

std::string aws_endpoint(const std::map<std::string, std::string>& environment,
                         const store::AwsProfile& profile, const std::string& service) {
  const std::string url =
      first_of({value_at(environment, "AWS_ENDPOINT_URL_" + service),
                value_at(environment, "AWS_ENDPOINT_URL"), value_at(profile, "endpoint_url")});
  return std::string(without_trailing_slashes(url));
}

AwsCredentials::AwsCredentials(AwsSetup setup)
    : setup_(std::move(setup)), profile_(aws_profile(setup_.environment)) {}

std::string AwsCredentials::variable(const std::string& name) const {
  return value_at(setup_.environment, name);
}

void AwsCredentials::mask(const Secret& secret) const {
  if (setup_.mask && secret.can_be_hidden()) setup_.mask(secret);
}

Result<store::AwsKeys> AwsCredentials::keys() {
  const std::lock_guard lock(mutex_);
  const bool expired =
      found_ && found_->expires && setup_.now() + kBeforeExpiry >= *found_->expires;
  if (!found_ || expired) {
    TRY(found_, find());
    mask(found_->keys.secret);
    mask(found_->keys.session_token);
  }
  return found_->keys;
}

Result<AwsCredentials::Found> AwsCredentials::find() {
  using Ask = Source (AwsCredentials::*)() const;
  for (const Ask source : {&AwsCredentials::from_environment, &AwsCredentials::from_web_identity,
                           &AwsCredentials::from_profile, &AwsCredentials::from_container,
                           &AwsCredentials::from_instance}) {
    TRY(std::optional<Found> found, (this->*source)());
    if (found) return *std::move(found);
  }
  return fail(ErrorKind::environment, "there are no credentials for S3",
              "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AWS_PROFILE, or a role with "
              "AWS_WEB_IDENTITY_TOKEN_FILE");
}

AwsCredentials::Source AwsCredentials::from_environment() const {
  const std::string id = variable("AWS_ACCESS_KEY_ID");
  const std::string secret = variable("AWS_SECRET_ACCESS_KEY");
  if (id.empty() || secret.empty()) return std::nullopt;
  return Found{{id, Secret(secret), Secret(variable("AWS_SESSION_TOKEN"))}};
}

AwsCredentials::Source AwsCredentials::from_web_identity() const {
  const std::string file = first_of(
      {variable("AWS_WEB_IDENTITY_TOKEN_FILE"), value_at(profile_, "web_identity_token_file")});
  const std::string role = first_of({variable("AWS_ROLE_ARN"), value_at(profile_, "role_arn")});
  if (file.empty() || role.empty()) return std::nullopt;
  TRY(const std::string token, LocalFiles().read(file, limits::kCredentials));
  mask(Secret(std::string(trim(token))));
  const std::string endpoint = first_of(
      {aws_endpoint(setup_.environment, profile_, "STS"),
       fmt::format("https://sts.{}.amazonaws.com", aws_region(setup_.environment, profile_))});
  ports::HttpRequest request = quick_request(endpoint + "/");
  request.method = "POST";
  request.headers.emplace_back("Content-Type", "application/x-www-form-urlencoded");
  request.body =
      form({{"Action", "AssumeRoleWithWebIdentity"},
            {"Version", "2011-06-15"},
            {"RoleArn", role},
            {"RoleSessionName", first_of({variable("AWS_ROLE_SESSION_NAME"), "pinwheel"})},
            {"WebIdentityToken", std::string(trim(token))}});
  TRY(const std::string text, ask(request));
  Found found{{xml_value(text, "AccessKeyId"), Secret(xml_value(text, "SecretAccessKey")),
               Secret(xml_value(text, "SessionToken"))},
              parse_time(xml_value(text, "Expiration"))};
  if (found.keys.id.empty() || found.keys.secret.empty()) {
    return fail(ErrorKind::transient, fmt::format("{} gave no keys", quoted(endpoint)));
  }
  return found;
}

AwsCredentials::Source AwsCredentials::from_profile() const {
  const std::string id = value_at(profile_, "aws_access_key_id");
  const std::string secret = value_at(profile_, "aws_secret_access_key");
  if (!id.empty() && !secret.empty()) {
    return Found{{id, Secret(secret), Secret(value_at(profile_, "aws_session_token"))}};
  }
  TRY_DONE(
      check_readable(aws_file(setup_.environment, "AWS_SHARED_CREDENTIALS_FILE", "credentials")));
  TRY_DONE(check_readable(aws_file(setup_.environment, "AWS_CONFIG_FILE", "config")));
  return std::nullopt;
}

AwsCredentials::Source AwsCredentials::from_container() const {
  const std::string relative = variable("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
  const std::string full = variable("AWS_CONTAINER_CREDENTIALS_FULL_URI");
  if (relative.empty() && full.empty()) return std::nullopt;
  const std::string url = relative.empty() ? full : "http://169.254.170.2" + relative;
  ports::HttpRequest request = quick_request(url);
  std::string token = variable("AWS_CONTAINER_AUTHORIZATION_TOKEN");
  if (const std::string file = variable("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"); !file.empty()) {
    TRY(token, LocalFiles().read(file, limits::kCredentials));
  }
  if (!trim(token).empty()) {
    mask(Secret(std::string(trim(token))));
    request.headers.emplace_back("Authorization", std::string(trim(token)));
  }
  TRY(const std::string text, ask(request));
  TRY(Found found, from_json(text, url));
  return found;
}

AwsCredentials::Source AwsCredentials::from_instance() const {
  if (to_lower(variable("AWS_EC2_METADATA_DISABLED")) == "true") return std::nullopt;
  const std::string endpoint =
      first_of({variable("AWS_EC2_METADATA_SERVICE_ENDPOINT"), "http://169.254.169.254"});
  const std::string base(without_trailing_slashes(endpoint));
  ports::HttpRequest request = quick_request(base + "/latest/api/token");
  request.method = "PUT";
  request.headers.emplace_back("X-aws-ec2-metadata-token-ttl-seconds", "21600");
  request.contents = std::make_shared<const ports::MemorySource>(std::string());
  const Result<std::string> token = ask(request);
  // Not an instance: the address does not respond.
  if (!token) return std::nullopt;
  const std::string list = base + "/latest/meta-data/iam/security-credentials/";
  const auto get = [&](const std::string& url) {
    ports::HttpRequest one = quick_request(url);
    one.headers.emplace_back("X-aws-ec2-metadata-token", *token);
    return ask(one);
  };
  const Result<std::string> roles = get(list);
  if (!roles) return std::nullopt;
  const std::string role(trim(split(*roles, '\n').front()));
  if (role.empty()) return std::nullopt;
  TRY(const std::string text, get(list + encode_segment(role)));
  TRY(Found found, from_json(text, base));
  return found;
}

Result<std::string> AwsCredentials::ask(const ports::HttpRequest& request) const {
  auto response = setup_.http->send(request);
  if (!response) return fail(std::move(response).error().error);
  if (response->status != kAnswered) {
    const std::string code = xml_value(response->body, "Code");
    return fail(ErrorKind::environment,
                std::string(trim(fmt::format("{} answered {} {}", quoted_url(request.url),
                                             response->status, code))),
                "check the role and its token");
  }
  return std::move(response->body);
}

Result<AwsCredentials::Found> AwsCredentials::from_json(const std::string& text,
                                                        const std::string& source) const {
  const nlohmann::json json = read_json(text);
  const auto member = [&json](const char* name) {
    const bool has = json.is_object() && json.contains(name) && json[name].is_string();
    return has ? json[name].get<std::string>() : std::string();
  };
  Found found{{member("AccessKeyId"), Secret(member("SecretAccessKey")), Secret(member("Token"))},
              parse_time(member("Expiration"))};
  if (found.keys.id.empty() || found.keys.secret.empty()) {
    return fail(ErrorKind::environment, fmt::format("{} gave no keys", quoted(source)));
  }
  return found;
}

}  // namespace pinwheel::host
