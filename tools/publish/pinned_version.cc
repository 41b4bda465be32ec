#include "publish/pinned_version.h"

#include <fmt/format.h>

#include "base/text.h"
#include "pep/name.h"
#include "pep/requirement.h"

namespace pinwheel::publish {

Result<PinnedVersion> parse_pinned_version(std::string_view text) {
  const Result<pep::Requirement> requirement = pep::parse_requirement(text);
  if (requirement && requirement->url.empty() && requirement->specifiers.size() == 1) {
    const pep::Specifier& only = requirement->specifiers.front();
    if (only.comparison == pep::Comparison::equal && !only.wildcard) {
      return PinnedVersion{pep::normalize_name(requirement->name), only.version};
    }
  }
  return fail(ErrorKind::usage, fmt::format("{} is not one version of a project", quoted(text)),
              "write `PROJECT==VERSION`");
}

std::string to_string(const PinnedVersion& pinned) {
  return fmt::format("{}=={}", pinned.project, pep::to_string(pinned.version));
}

bool is_pinned_by(const pep::Version& version, const PinnedVersion& pinned) {
  return pinned.version.local.empty() ? pep::public_part(version) == pinned.version
                                      : version == pinned.version;
}

}  // namespace pinwheel::publish
