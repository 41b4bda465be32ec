#include "publish/upload_time.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>

namespace pinwheel::publish {

namespace {

/// Reads a text from its beginning to its end.
class TimeReader {
 public:
  explicit TimeReader(std::string_view text) : rest_(text) {}

  bool at_end() const { return rest_.empty(); }
  /// The next characters are exactly so many digits.
  std::optional<int> number(size_t digits) {
    if (rest_.size() < digits) return std::nullopt;
    int value = 0;
    for (const char c : rest_.substr(0, digits)) {
      if (c < '0' || c > '9') return std::nullopt;
      value = value * 10 + (c - '0');
    }
    rest_.remove_prefix(digits);
    return value;
  }
  /// The next character is one of these.
  std::optional<char> one_of(std::string_view characters) {
    if (rest_.empty() || characters.find(rest_.front()) == std::string_view::npos) {
      return std::nullopt;
    }
    const char found = rest_.front();
    rest_.remove_prefix(1);
    return found;
  }

 private:
  std::string_view rest_;
};

std::optional<std::chrono::sys_days> read_date(TimeReader& reader) {
  const auto year = reader.number(4);
  if (!year || !reader.one_of("-")) return std::nullopt;
  const auto month = reader.number(2);
  if (!month || !reader.one_of("-")) return std::nullopt;
  const auto day = reader.number(2);
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date);
}

/// "12:34", as a time of the day or an offset.
std::optional<std::chrono::minutes> read_minutes(TimeReader& reader) {
  const auto hours = reader.number(2);
  if (!hours || *hours > 23 || !reader.one_of(":")) return std::nullopt;
  const auto minutes = reader.number(2);
  if (!minutes || *minutes > 59) return std::nullopt;
  return std::chrono::hours(*hours) + std::chrono::minutes(*minutes);
}

/// The digits after the point; what is below a microsecond is dropped.
std::optional<std::chrono::microseconds> read_fraction(TimeReader& reader) {
  std::chrono::microseconds fraction{0};
  std::chrono::microseconds unit{100'000};
  size_t digits = 0;
  while (const auto digit = reader.number(1)) {
    fraction += unit * *digit;
    unit /= 10;
    ++digits;
  }
  return digits == 0 ? std::nullopt : std::optional(fraction);
}

std::optional<std::chrono::minutes> read_offset(TimeReader& reader) {
  const auto sign = reader.one_of("Zz+-");
  if (!sign) return std::nullopt;
  if (*sign == 'Z' || *sign == 'z') return std::chrono::minutes(0);
  const auto offset = read_minutes(reader);
  if (!offset) return std::nullopt;
  return *sign == '-' ? -*offset : *offset;
}

}  // namespace

std::string to_upload_time(std::chrono::system_clock::time_point time) {
  const auto second = std::chrono::floor<std::chrono::seconds>(time);
  const auto rest = std::chrono::floor<std::chrono::microseconds>(time - second);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:06}Z",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(second)), rest.count());
}

std::optional<UploadTime> parse_upload_time(std::string_view text) {
  TimeReader reader(text);
  const auto day = read_date(reader);
  if (!day || !reader.one_of("Tt ")) return std::nullopt;
  const auto minutes = read_minutes(reader);
  if (!minutes || !reader.one_of(":")) return std::nullopt;
  const auto second = reader.number(2);
  if (!second || *second > 60) return std::nullopt;
  std::optional<std::chrono::microseconds> fraction{0};
  if (reader.one_of(".")) fraction = read_fraction(reader);
  if (!fraction) return std::nullopt;
  const auto offset = read_offset(reader);
  if (!offset || !reader.at_end()) return std::nullopt;
  return UploadTime(*day) + *minutes + std::chrono::seconds(*second) + *fraction - *offset;
}

std::optional<std::chrono::sys_days> parse_upload_day(std::string_view text) {
  TimeReader reader(text);
  return read_date(reader);
}

}  // namespace pinwheel::publish
