#pragma once
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/secret.h"
#include "ports/http.h"
#include "store/aws.h"

namespace pinwheel::host {

/// The settings and credentials of AWS, found as its command line does.
struct AwsSetup {
  std::map<std::string, std::string> environment = {};
  std::shared_ptr<ports::Http> http;
  MaskSecret mask = {};
  std::function<std::chrono::system_clock::time_point()> now = [] {
    return std::chrono::system_clock::now();
  };
};

/// The settings of the profile that AWS_PROFILE names (else "default"), from both files; those of
/// the credentials file take precedence. Unreadable files have no settings.
store::AwsProfile aws_profile(const std::map<std::string, std::string>& environment);

/// AWS_REGION, AWS_DEFAULT_REGION, the region of the profile, else "us-east-1".
std::string aws_region(const std::map<std::string, std::string>& environment,
                       const store::AwsProfile& profile);

/// AWS_ENDPOINT_URL_<SERVICE>, AWS_ENDPOINT_URL, the endpoint of the profile, else empty.
std::string aws_endpoint(const std::map<std::string, std::string>& environment,
                         const store::AwsProfile& profile, const std::string& service);

/// The keys of AWS, from the first of: the environment; a web identity (a token file and a role,
/// for which STS gives keys); the profile; the container; the instance (IMDSv2). Keys that expire
/// are fetched again in time. Thread-safe.
class AwsCredentials {
 public:
  explicit AwsCredentials(AwsSetup setup);

  /// `environment`, with a hint, if no source has keys; else the error of the configured source.
  Result<store::AwsKeys> keys();

 private:
  struct Found {
    store::AwsKeys keys;
    std::optional<std::chrono::system_clock::time_point> expires = std::nullopt;
  };
  using Source = Result<std::optional<Found>>;

  Result<Found> find();
  Source from_environment() const;
  Source from_web_identity() const;
  Source from_profile() const;
  Source from_container() const;
  Source from_instance() const;
  Result<std::string> ask(const ports::HttpRequest& request) const;
  Result<Found> from_json(const std::string& text, const std::string& source) const;
  void mask(const Secret& secret) const;
  std::string variable(const std::string& name) const;

  AwsSetup setup_;
  store::AwsProfile profile_;
  std::mutex mutex_;
  std::optional<Found> found_ = std::nullopt;
};

}  // namespace pinwheel::host
