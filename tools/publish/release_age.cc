#include "publish/release_age.h"

#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <optional>

#include "base/text.h"
#include "pep/wheel_name.h"

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

/// The version in a file name; nullopt for other files.
std::optional<pep::Version> version_of(const std::string& filename) {
  if (const auto wheel = pep::parse_wheel_name(filename)) return wheel->version;
  if (const auto sdist = pep::parse_sdist_name(filename)) return sdist->version;
  return std::nullopt;
}

}  // namespace

std::vector<Error> age_findings(const std::vector<Artifact>& absent,
                                const std::vector<IndexFile>& page,
                                std::chrono::system_clock::time_point now) {
  std::map<pep::Version, const IndexFile*> first;
  for (const IndexFile& file : page) {
    const auto version = version_of(file.filename);
    if (!version || !day_of(file.upload_time)) continue;
    const IndexFile*& oldest = first[*version];
    if (oldest == nullptr || file.upload_time < oldest->upload_time) oldest = &file;
  }
  std::vector<Error> findings;
  for (const Artifact& file : absent) {
    const auto version = version_of(file.filename);
    const auto found = version ? first.find(*version) : first.end();
    if (found == first.end()) continue;
    // Whole days: on the fifteenth day the limit is exceeded at any hour.
    const auto age =
        std::chrono::floor<std::chrono::days>(now) - *day_of(found->second->upload_time);
    if (age <= kOpen) continue;
    findings.push_back(Error{
        ErrorKind::publish,
        fmt::format("{} is too late for release {}, whose {} was uploaded on {}",
                    quoted(file.filename), pep::to_string(*version),
                    quoted(found->second->filename), found->second->upload_time.substr(0, 10)),
        std::nullopt,
        "PyPI closes a release 14 days after its first file: publish another version",
        {}});
  }
  return findings;
}

}  // namespace pinwheel::publish
