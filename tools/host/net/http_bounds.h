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

/// The lowest speed and the longest time of a transfer. Breaking a bound is `transient`.
struct HttpBounds {
  /// A transfer with fewer bytes per second than this, in both directions together, for all of
  /// `window` is ended; 0: none is. The window includes the time that an index takes to process an
  /// uploaded file, in whole seconds; 0: no transfer is ended.
  uint64_t min_speed = 1000;
  std::chrono::seconds window = std::chrono::minutes(5);
  /// The longest time of a transfer, plus one minute per 10 MB of its size; 0: none is ended.
  std::chrono::milliseconds longest = std::chrono::minutes(15);
};

/// The bounds in the variables PINWHEEL_MIN_SPEED ("20 KB", per second) and PINWHEEL_TRANSFER_TIME
/// ("5 min"); `usage` for other text.
Result<HttpBounds> http_bounds_from(const std::map<std::string, std::string>& environment);

/// The longest time of a transfer of that size.
std::chrono::milliseconds time_for(const HttpBounds& bounds, uint64_t bytes);

/// The errors for a transfer that broke a bound, with the variable that sets it.
Error too_slow(const HttpBounds& bounds, std::string_view host);
Error too_long(const HttpBounds& bounds, uint64_t bytes, std::string_view host);
/// The same for a request with a fixed bound.
Error no_answer_within(std::chrono::milliseconds patience, std::string_view host);

}  // namespace pinwheel::host
