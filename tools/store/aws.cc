#include "store/aws.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/digest.h"
#include "base/text.h"
#include "base/url.h"

namespace pinwheel::store {
namespace {

constexpr std::string_view kAlgorithm = "AWS4-HMAC-SHA256";

/// "20260102T030405Z".
std::string time_stamp(const AwsScope& scope) {
  return fmt::format("{:%Y%m%dT%H%M%SZ}",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(scope.now)));
}

std::string day_of(const AwsScope& scope) {
  constexpr size_t kDayLength = 8;
  return time_stamp(scope).substr(0, kDayLength);
}

std::string scope_text(const AwsScope& scope) {
  return fmt::format("{}/{}/{}/aws4_request", day_of(scope), scope.region, scope.service);
}

NameValues unsigned_headers(const AwsRequest& request, const AwsKeys& keys, const AwsScope& scope) {
  NameValues headers = request.headers;
  headers.emplace_back("x-amz-content-sha256", request.payload_sha256);
  headers.emplace_back("x-amz-date", time_stamp(scope));
  if (!keys.session_token.empty()) {
    headers.emplace_back("x-amz-security-token", keys.session_token.reveal());
  }
  return headers;
}

/// Runs of blanks count as one.
std::string canonical_value(std::string_view value) {
  std::string out;
  for (const std::string& word : split(trim(value), ' ')) {
    if (word.empty()) continue;
    if (!out.empty()) out += ' ';
    out += word;
  }
  return out;
}

std::map<std::string, std::string> canonical_headers(const AwsRequest& request, const AwsKeys& keys,
                                                     const AwsScope& scope) {
  std::map<std::string, std::string> out = {{"host", request.host}};
  for (const auto& [name, value] : unsigned_headers(request, keys, scope)) {
    out[to_lower(name)] = canonical_value(value);
  }
  return out;
}

std::string header_names(const std::map<std::string, std::string>& headers) {
  std::vector<std::string> names;
  names.reserve(headers.size());
  for (const auto& [name, value] : headers) names.push_back(name);
  return join(names, ";");
}

/// The string to sign.
std::string canonical_request(const AwsRequest& request, const AwsKeys& keys,
                              const AwsScope& scope) {
  const std::map<std::string, std::string> headers = canonical_headers(request, keys, scope);
  std::string text = fmt::format("{}\n{}\n{}\n", request.method, encoded_path(request.path),
                                 encoded_query(request.query));
  for (const auto& [name, value] : headers) text += fmt::format("{}:{}\n", name, value);
  return text + fmt::format("\n{}\n{}", header_names(headers), request.payload_sha256);
}

std::string signature(const std::string& canonical, const AwsKeys& keys, const AwsScope& scope) {
  const std::string text = fmt::format("{}\n{}\n{}\n{}", kAlgorithm, time_stamp(scope),
                                       scope_text(scope), sha256_hex(canonical));
  std::string key = "AWS4" + keys.secret.reveal();
  for (const std::string& part :
       {day_of(scope), scope.region, scope.service, std::string("aws4_request")}) {
    key = hmac_sha256(key, part);
  }
  return to_hex(hmac_sha256(key, text));
}

/// "profile  NAME" with one blank.
std::string section_name(std::string_view line) {
  std::string name(trim(line.substr(1, line.find(']') - 1)));
  std::replace(name.begin(), name.end(), '\t', ' ');
  const std::string_view kind = "profile ";
  if (name.starts_with(kind)) {
    name = std::string(kind) + std::string(trim(std::string_view(name).substr(kind.size())));
  }
  return name;
}

bool is_section_of(const std::string& section, AwsFile file, std::string_view name) {
  if (file == AwsFile::credentials) return section == name;
  return section == "profile " + std::string(name) || (name == "default" && section == name);
}

}  // namespace

std::string hmac_sha256(std::string_view key, std::string_view message) {
  constexpr size_t kBlock = 64;
  constexpr char kInner = 0x36;
  constexpr char kOuter = 0x5c;
  const auto digest = [](std::string_view first, std::string_view second) {
    Sha256 hash;
    hash.update(first);
    hash.update(second);
    return hash.finish();
  };
  std::string block = key.size() > kBlock ? digest(key, {}) : std::string(key);
  block.resize(kBlock, '\0');
  std::string inner = block;
  std::string outer = block;
  for (char& byte : inner) byte = static_cast<char>(byte ^ kInner);
  for (char& byte : outer) byte = static_cast<char>(byte ^ kOuter);
  return digest(outer, digest(inner, message));
}

std::string encoded_path(std::string_view path) {
  std::vector<std::string> segments = split(path, '/');
  for (std::string& segment : segments) segment = encode_segment(segment);
  return join(segments, "/");
}

std::string encoded_query(const NameValues& query) {
  NameValues encoded;
  for (const auto& [name, value] : query) {
    encoded.emplace_back(encode_segment(name), encode_segment(value));
  }
  std::sort(encoded.begin(), encoded.end());
  std::vector<std::string> parts;
  for (const auto& [name, value] : encoded) parts.push_back(fmt::format("{}={}", name, value));
  return join(parts, "&");
}

NameValues signed_headers(const AwsRequest& request, const AwsKeys& keys, const AwsScope& scope) {
  const std::string canonical = canonical_request(request, keys, scope);
  NameValues headers = unsigned_headers(request, keys, scope);
  headers.emplace_back(
      "Authorization",
      fmt::format("{} Credential={}/{}, SignedHeaders={}, Signature={}", kAlgorithm, keys.id,
                  scope_text(scope), header_names(canonical_headers(request, keys, scope)),
                  signature(canonical, keys, scope)));
  return headers;
}

AwsProfile parse_aws_profile(std::string_view text, AwsFile file, std::string_view name) {
  AwsProfile profile;
  bool here = false;
  std::string block;
  for (const std::string& raw : split(text, '\n')) {
    const std::string_view line = trim(raw);
    if (line.empty() || line.front() == '#' || line.front() == ';') continue;
    if (line.front() == '[') {
      here = is_section_of(section_name(line), file, name);
      block.clear();
      continue;
    }
    const size_t equals = line.find('=');
    if (!here || equals == std::string_view::npos) continue;
    const std::string key = to_lower(trim(line.substr(0, equals)));
    const std::string value(trim(line.substr(equals + 1)));
    const bool nested = raw.front() == ' ' || raw.front() == '\t';
    if (!nested) block = value.empty() ? key + "." : std::string();
    if (nested || !value.empty()) profile[nested ? block + key : key] = value;
  }
  return profile;
}

}  // namespace pinwheel::store
