#include "publish/release_age.h"

#include <fmt/format.h>

#include <map>
#include <optional>

#include "base/text.h"
#include "publish/upload_time.h"

namespace pinwheel::publish {
namespace {

constexpr std::chrono::days kOpen{14};

}  // namespace

std::optional<IndexFile> first_upload(const std::vector<IndexFile>& release) {
  const IndexFile* first = nullptr;
  for (const IndexFile& file : release) {
    if (!parse_upload_day(file.upload_time)) continue;
    if (first == nullptr || file.upload_time < first->upload_time) first = &file;
  }
  if (first == nullptr) return std::nullopt;
  return *first;
}

bool is_closed(const IndexFile& first, std::chrono::system_clock::time_point now) {
  const auto day = parse_upload_day(first.upload_time);
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
