#include "version/calver.h"

#include <fmt/core.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "version/run_date.h"

namespace pinwheel::version {
namespace {

constexpr int kCentury = 2000;

bool is_calendar(const pep::Version& version) {
  return version.epoch == 0 && version.release.size() == 3 && !version.post;
}

Result<Derived> frozen_version(const std::string& text) {
  Result<pep::Version> version = pep::parse_version(text);
  if (!version || !is_calendar(*version) || pep::is_prerelease(*version) ||
      !version->local.empty()) {
    return fail(ErrorKind::config,
                fmt::format("`version.txt` says {}, which is not YY.M.N", quoted(trim(text))),
                "write three numbers, e.g. 26.11.0, or remove the file");
  }
  return Derived{*version, {}, {"`version.txt` freezes the version"}};
}

/// The newest release; nullopt when there is none.
Result<std::optional<pep::Version>> newest_release(const std::vector<std::string>& published) {
  std::optional<pep::Version> newest;
  for (const std::string& text : published) {
    const Result<pep::Version> version = pep::parse_version(text);
    if (version && (!newest || *newest < *version)) newest = *version;
  }
  if (newest && !is_calendar(*newest)) {
    return fail(
        ErrorKind::config,
        fmt::format("newest release {} on the index is not YY.M.N",
                    quoted(pep::to_string(*newest))),
        "a calendar version follows another calendar version; use `from: git-tag` or another "
        "index");
  }
  return newest;
}

}  // namespace

Result<Derived> calver(const CalverFacts& facts) {
  if (facts.frozen) return frozen_version(*facts.frozen);
  if (!facts.published) {
    return fail(ErrorKind::config,
                "a calendar version needs the newest release, but no index is configured",
                "configure a publish target with an index, or write `version.txt`");
  }
  TRY(const std::optional<pep::Version> newest, newest_release(*facts.published));

  const Day today = utc_day(facts.date);
  const uint64_t year = static_cast<uint64_t>(today.year - kCentury);
  const uint64_t month = static_cast<uint64_t>(today.month);
  Derived derived{pep::Version{0, {year, month, 0}}, {}, {}};
  derived.why.push_back(fmt::format("the month is {}-{:02} (UTC)", today.year, today.month));
  if (!newest) {
    derived.why.emplace_back("the index has no release");
    return derived;
  }
  const std::string name = pep::to_string(*newest);
  const std::tuple<uint64_t, uint64_t> theirs(newest->release[0], newest->release[1]);
  if (theirs > std::tuple(year, month)) {
    return fail(
        ErrorKind::config,
        fmt::format("newest release {} on the index is of a later month than today, {}-{:02}",
                    quoted(name), today.year, today.month),
        "check this machine's clock and SOURCE_DATE_EPOCH");
  }
  derived.why.push_back(fmt::format("the newest release on the index is {}", quoted(name)));
  if (theirs == std::tuple(year, month)) {
    derived.version.release[2] = newest->release[2] + (pep::is_prerelease(*newest) ? 0 : 1);
  } else {
    derived.why.emplace_back("numbers start at 0 each month");
  }
  return derived;
}

}  // namespace pinwheel::version
