#pragma once
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace pinwheel::host {

inline constexpr const char* kMinSpeedVariable = "PINWHEEL_MIN_SPEED";
inline constexpr const char* kTransferTimeVariable = "PINWHEEL_TRANSFER_TIME";

/// How slow a transfer may be, and how long one may last. What breaks a bound is `transient`.
struct HttpBounds {
  /// A transfer with fewer bytes a second than this, in both directions together, for all of
  /// `window` is ended; 0: none is. The window includes the time that an index takes to process an
  /// uploaded file, in whole seconds; 0: no transfer is ended.
  uint64_t min_speed = 1000;
  std::chrono::seconds window = std::chrono::minutes(5);
  /// The longest transfer, to which each 10 MB of its size add a minute; 0: none is ended.
  std::chrono::milliseconds longest = std::chrono::minutes(15);
};

/// The bounds that the variables set, PINWHEEL_MIN_SPEED ("20 KB", a second) and
/// PINWHEEL_TRANSFER_TIME ("5 min"); `usage` for other text.
Result<HttpBounds> http_bounds_from(const std::map<std::string, std::string>& environment);

/// How long a transfer of that size may last.
std::chrono::milliseconds time_for(const HttpBounds& bounds, uint64_t bytes);

/// The errors for a transfer that broke a bound: what it was and how to set it.
Error too_slow(const HttpBounds& bounds, std::string_view host);
Error too_long(const HttpBounds& bounds, uint64_t bytes, std::string_view host);
/// The same for a request with a bound of its own, which nobody sets.
Error no_answer_within(std::chrono::milliseconds patience, std::string_view host);

}  // namespace pinwheel::host
