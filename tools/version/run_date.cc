#include "version/run_date.h"

#include "base/parse_integer.h"
#include "base/text.h"

namespace pinwheel::version {

Result<std::chrono::system_clock::time_point> run_date(
    const std::optional<std::string>& source_date_epoch,
    std::chrono::system_clock::time_point now) {
  if (!source_date_epoch || source_date_epoch->empty()) return now;
  // The clock counts nanoseconds, until the year 2262.
  constexpr auto kLatest =
      std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::duration::max());
  const std::string& text = *source_date_epoch;
  const std::optional<uint64_t> seconds = parse_unsigned(text);
  if (!seconds || *seconds > static_cast<uint64_t>(kLatest.count())) {
    return fail(
        ErrorKind::config,
        "SOURCE_DATE_EPOCH is " + quoted(text) + ", which is not a number of seconds since 1970",
        "unset it, or set it to `git log -1 --format=%ct`");
  }
  return std::chrono::system_clock::time_point(std::chrono::seconds(*seconds));
}

Day utc_day(std::chrono::system_clock::time_point date) {
  const std::chrono::year_month_day day(std::chrono::floor<std::chrono::days>(date));
  return {static_cast<int>(day.year()), static_cast<int>(static_cast<unsigned>(day.month())),
          static_cast<int>(static_cast<unsigned>(day.day()))};
}

uint64_t date_number(std::chrono::system_clock::time_point date) {
  const Day day = utc_day(date);
  return (static_cast<uint64_t>(day.year) * 10000) + (static_cast<uint64_t>(day.month) * 100) +
         static_cast<uint64_t>(day.day);
}

}  // namespace pinwheel::version
