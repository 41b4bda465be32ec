#include "publish/choose_sdist.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "pep/name.h"
#include "pep/version.h"
#include "pep/wheel_name.h"

namespace pinwheel::publish {
namespace {

/// The files on the page, for a hint.
std::string instead(const std::vector<IndexFile>& files, const pep::Version& wanted) {
  constexpr size_t kMost = 5;
  std::vector<pep::Version> sdists;
  bool has_wheels = false;
  for (const IndexFile& file : files) {
    const auto wheel = pep::parse_wheel_name(file.filename);
    has_wheels = has_wheels || (wheel && wheel->version == wanted);
    if (const auto sdist = pep::parse_sdist_name(file.filename)) sdists.push_back(sdist->version);
  }
  if (has_wheels) {
    return "the index has only wheels of it; build it from its repository, with `package.source`";
  }
  if (sdists.empty()) return "the index has no sdist of any version";
  std::sort(sdists.begin(), sdists.end(),
            [](const pep::Version& a, const pep::Version& b) { return a > b; });
  std::vector<std::string> newest;
  for (const pep::Version& each : sdists) {
    if (newest.size() < kMost) newest.push_back(pep::to_string(each));
  }
  return "the index has sdists of " + quoted_list(newest) +
         (sdists.size() > kMost ? " and older ones" : "");
}

}  // namespace

Result<IndexFile> choose_sdist(const std::vector<IndexFile>& files, const std::string& name,
                               const std::string& version) {
  TRY(const pep::Version wanted, pep::parse_version(version));
  const IndexFile* found = nullptr;
  for (const IndexFile& file : files) {
    const auto sdist = pep::parse_sdist_name(file.filename);
    if (!sdist || sdist->version != wanted ||
        pep::normalize_name(sdist->distribution) != pep::normalize_name(name)) {
      continue;
    }
    if (found == nullptr || file.filename.ends_with(".tar.gz")) found = &file;
  }
  if (found != nullptr) return *found;
  return fail(ErrorKind::config, fmt::format("{} {} has no sdist", quoted(name), version),
              instead(files, wanted));
}

}  // namespace pinwheel::publish
