#pragma once
#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/secret.h"

// The pure part of the S3 protocol: signatures and settings. `host/store` sends requests and reads
// files.
namespace pinwheel::store {

// AWS Signature Version 4, as S3 requires it: the path is encoded once and never normalized.

struct AwsKeys {
  std::string id;
  Secret secret;
  Secret session_token = {};  ///< of temporary keys; else empty
};

using NameValues = std::vector<std::pair<std::string, std::string>>;

/// A request before it is signed. Nothing in it is encoded.
struct AwsRequest {
  std::string method = "GET";
  std::string host;        ///< with its port if that is not the usual one
  std::string path = "/";  ///< from the first slash: "/bucket/a b+c"
  NameValues query = {};
  NameValues headers = {};     ///< that are signed as well; without `Host`
  std::string payload_sha256;  ///< hex, or `kUnsignedPayload`
};

constexpr std::string_view kUnsignedPayload = "UNSIGNED-PAYLOAD";

struct AwsScope {
  std::string region;
  std::string service = "s3";
  std::chrono::system_clock::time_point now;
};

/// The path with everything but `/` and unreserved characters encoded.
std::string encoded_path(std::string_view path);
/// "a=1&b=", sorted as it is signed; empty without a query.
std::string encoded_query(const NameValues& query);

/// All headers of the request: its own, `x-amz-date`, `x-amz-content-sha256`, the session token,
/// and `Authorization`.
NameValues signed_headers(const AwsRequest& request, const AwsKeys& keys, const AwsScope& scope);

/// 32 raw bytes.
std::string hmac_sha256(std::string_view key, std::string_view message);

// The settings of the AWS command line.

/// The settings of one profile. The keys of a nested block are prefixed with its name:
/// "s3.addressing_style".
using AwsProfile = std::map<std::string, std::string>;

/// The two files of the AWS command line.
enum class AwsFile {
  config,      ///< ~/.aws/config: sections are named "profile NAME" or "default"
  credentials  ///< ~/.aws/credentials: sections are named "NAME"
};

/// The settings of a profile in the text of a file; empty if there is none of that name.
AwsProfile parse_aws_profile(std::string_view text, AwsFile file, std::string_view name);

}  // namespace pinwheel::store
