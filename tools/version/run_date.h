#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"

namespace pinwheel::version {

/// The date of a run, taken once: SOURCE_DATE_EPOCH (seconds since 1970) when it is set and not
/// empty, else `now`. `config` when the variable is not a number of seconds within the calendar's
/// range.
Result<std::chrono::system_clock::time_point> run_date(
    const std::optional<std::string>& source_date_epoch, std::chrono::system_clock::time_point now);

struct Day {
  int year = 0;   ///< 2026
  int month = 0;  ///< 1 to 12
  int day = 0;    ///< 1 to 31
};

/// The day in UTC.
Day utc_day(std::chrono::system_clock::time_point date);
/// 20261121.
uint64_t date_number(std::chrono::system_clock::time_point date);

}  // namespace pinwheel::version
