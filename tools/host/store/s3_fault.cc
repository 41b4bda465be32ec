#include "host/store/s3_fault.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "host/store/object_server.h"
#include "host/store/xml_value.h"

namespace pinwheel::host {
namespace {

constexpr std::string_view kNoBucket = "NoSuchBucket";
constexpr std::string_view kOtherClock = "RequestTimeTooSkewed";

constexpr const char* kTokenHint =
    "get new keys: keys with AWS_SESSION_TOKEN are only valid for some hours";
constexpr const char* kBucketHint =
    "check the name of the bucket, AWS_REGION and AWS_ENDPOINT_URL_S3; pinwheel does not create "
    "buckets";
constexpr const char* kRegionHint = "set AWS_REGION to the region of the bucket";
constexpr const char* kFullHint =
    "remove old objects from the bucket, raise its quota, or add `,ro` to only read it";

struct KnownCode {
  std::string_view code;
  FaultKind kind;
  const char* hint = "";
};

/// Codes of AWS, Ceph and MinIO whose status is ambiguous.
constexpr std::array kKnownCodes = {
    KnownCode{"InternalError", FaultKind::busy},
    KnownCode{"RequestTimeout", FaultKind::busy},
    KnownCode{"ServiceUnavailable", FaultKind::busy},
    KnownCode{"SlowDown", FaultKind::busy},
    KnownCode{"EntityTooLarge", FaultKind::full},
    KnownCode{"QuotaExceeded", FaultKind::full, kFullHint},
    KnownCode{"XMinioAdminBucketQuotaExceeded", FaultKind::full, kFullHint},
    KnownCode{"XMinioStorageFull", FaultKind::full, kFullHint},
    KnownCode{"ExpiredToken", FaultKind::refused, kTokenHint},
    KnownCode{kOtherClock, FaultKind::refused},
    KnownCode{kNoBucket, FaultKind::refused, kBucketHint},
    KnownCode{"AuthorizationHeaderMalformed", FaultKind::refused, kRegionHint},
    KnownCode{"PermanentRedirect", FaultKind::refused, kRegionHint},
};

/// The time in an element, if it is valid: the text is untrusted.
std::string time_in(const std::string& xml, std::string_view element) {
  constexpr size_t kLongest = 24;
  std::string text = xml_value(xml, element);
  const bool is_time =
      text.size() <= kLongest && text.find_first_not_of("0123456789-:.TZ") == std::string::npos;
  return is_time ? text : std::string();
}

std::string clock_hint(const std::string& xml) {
  const std::string theirs = time_in(xml, "ServerTime");
  if (theirs.empty()) return "set the clock of this machine: signatures are valid for minutes only";
  return fmt::format("set the clock of this machine: the server's said {}", theirs);
}

}  // namespace

PlaceFault s3_fault(std::string_view method, const std::string& base,
                    const ports::HttpResponse& response) {
  PlaceFault fault = response_fault({.method = std::string(method), .url = base}, response);
  const std::string code = xml_value(response.body, "Code");
  const auto* const known =
      std::find_if(kKnownCodes.begin(), kKnownCodes.end(),
                   [&code](const KnownCode& one) { return one.code == code; });
  if (known == kKnownCodes.end()) return fault;
  fault.kind = known->kind;
  fault.error.hint = known->hint;
  if (code == kOtherClock) {
    fault.error.message += ": the clock of this machine is wrong, or the server's";
    fault.error.hint = clock_hint(response.body);
  }
  return fault;
}

bool lacks_bucket(const ports::HttpResponse& response) {
  return xml_value(response.body, "Code") == kNoBucket;
}

}  // namespace pinwheel::host
