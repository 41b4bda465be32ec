#include "host/net/http_bounds.h"

#include <fmt/format.h>

#include <optional>

#include "base/text.h"

namespace pinwheel::host {
namespace {

constexpr uint64_t kBytesPerMinute = 10'000'000;

tl::unexpected<Error> not_a(std::string_view what, const char* variable, const std::string& text,
                            std::string hint) {
  return fail(ErrorKind::usage,
              fmt::format("{} is not {}: {}", quoted(text), what, quoted(variable)),
              std::move(hint));
}

}  // namespace

Result<HttpBounds> http_bounds_from(const std::map<std::string, std::string>& environment) {
  HttpBounds bounds;
  if (const std::string speed = value_at(environment, kMinSpeedVariable); !speed.empty()) {
    const std::optional<uint64_t> bytes = parse_bytes(speed);
    if (!bytes) {
      return not_a("a number of bytes a second", kMinSpeedVariable, speed,
                   "write `1 KB`, or `0` for no limit");
    }
    bounds.min_speed = *bytes;
  }
  if (const std::string time = value_at(environment, kTransferTimeVariable); !time.empty()) {
    const std::optional<std::chrono::milliseconds> longest = parse_duration(time);
    if (!longest) {
      return not_a("a duration", kTransferTimeVariable, time,
                   "write `15 min`, or `0s` for no limit");
    }
    bounds.longest = *longest;
  }
  return bounds;
}

std::chrono::milliseconds time_for(const HttpBounds& bounds, uint64_t bytes) {
  constexpr uint64_t kMillisecondsPerMinute = 60'000;
  return bounds.longest +
         std::chrono::milliseconds(bytes / (kBytesPerMinute / kMillisecondsPerMinute));
}

Error too_slow(const HttpBounds& bounds, std::string_view host) {
  return {ErrorKind::transient,
          fmt::format("no answer from {}: fewer than {} a second for {}", quoted(host),
                      format_bytes(bounds.min_speed), format_duration(bounds.window)),
          std::nullopt,
          fmt::format("`--min-speed` or {} sets the minimum speed; `0`: none", kMinSpeedVariable),
          {}};
}

Error too_long(const HttpBounds& bounds, uint64_t bytes, std::string_view host) {
  return {
      ErrorKind::transient,
      fmt::format("no answer from {}: the transfer of {} lasted longer than {}", quoted(host),
                  format_bytes(bytes), format_duration(time_for(bounds, bytes))),
      std::nullopt,
      fmt::format(
          "`--transfer-time` or {} sets the maximum time, plus a minute for each 10 MB; `0s`: none",
          kTransferTimeVariable),
      {}};
}

Error no_answer_within(std::chrono::milliseconds patience, std::string_view host) {
  return {ErrorKind::transient,
          fmt::format("no answer from {} within {}", quoted(host), format_duration(patience)),
          std::nullopt,
          {},
          {}};
}

}  // namespace pinwheel::host
