#include "version/file.h"

#include <utility>

#include "base/text.h"

namespace pinwheel::version {

Result<Derived> version_from_file(std::string_view contents, const std::string& path) {
  Result<pep::Version> version = pep::parse_version(contents);
  if (!version) {
    return fail(ErrorKind::config, quoted(path) + " does not contain a version",
                "write the version into the file, and nothing else, e.g. 1.2.0");
  }
  if (!version->local.empty()) {
    return fail(
        ErrorKind::config,
        "version " + quoted(pep::to_string(*version)) + " in " + quoted(path) + " has a local part",
        "remove `+` and what follows; pinwheel adds each wheel's label");
  }
  return Derived{*std::move(version), {}, {quoted(path) + " contains the version"}};
}

}  // namespace pinwheel::version
