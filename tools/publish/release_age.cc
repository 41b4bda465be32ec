#include "publish/release_age.h"

#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <optional>

#include "base/text.h"

namespace pinwheel::publish {
namespace {

using std::chrono::sys_days;

constexpr std::chrono::days kOpen{14};

/// The day of "2026-07-01T12:00:00.5Z".
std::optional<sys_days> day_of(const std::string& time) {
  if (time.size() < 10 || time[4] != '-' || time[7] != '-') return std::nullopt;
  const auto number = [&time](size_t at, size_t length) {
    return static_cast<unsigned>(std::strtoul(time.substr(at, length).c_str(), nullptr, 10));
  };
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(number(0, 4))),
                                         std::chrono::month(number(5, 2)),
                                         std::chrono::day(number(8, 2))};
  if (!date.ok()) return std::nullopt;
  return sys_days(date);
}

}  // namespace

std::optional<IndexFile> first_upload(const std::vector<IndexFile>& release) {
  const IndexFile* first = nullptr;
  for (const IndexFile& file : release) {
    if (!day_of(file.upload_time)) continue;
    if (first == nullptr || file.upload_time < first->upload_time) first = &file;
  }
  if (first == nullptr) return std::nullopt;
  return *first;
}

bool is_closed(const IndexFile& first, std::chrono::system_clock::time_point now) {
  const auto day = day_of(first.upload_time);
  // Whole days: on the fifteenth day the limit is exceeded at any hour.
  return day && std::chrono::floor<std::chrono::days>(now) - *day > kOpen;
}

std::vector<Error> age_findings(const std::vector<Artifact>& absent,
                                const std::vector<IndexFile>& page,
                                std::chrono::system_clock::time_point now) {
  std::map<pep::Version, std::vector<IndexFile>> releases;
  for (const IndexFile& file : page) {
    if (const auto version = version_of_file(file.filename)) releases[*version].push_back(file);
  }
  std::vector<Error> findings;
  for (const Artifact& file : absent) {
    const auto version = version_of_file(file.filename);
    const auto release = version ? releases.find(*version) : releases.end();
    if (release == releases.end()) continue;
    const auto first = first_upload(release->second);
    if (!first || !is_closed(*first, now)) continue;
    findings.push_back(
        Error{ErrorKind::publish,
              fmt::format("{} is too late for release {}, whose {} was uploaded on {}",
                          quoted(file.filename), pep::to_string(*version), quoted(first->filename),
                          first->upload_time.substr(0, 10)),
              std::nullopt,
              "PyPI closes a release 14 days after its first file: publish another version",
              {}});
  }
  return findings;
}

}  // namespace pinwheel::publish
