#include "publish/sdist_metadata.h"

#include <vector>

#include "wheel/tar.h"

namespace pinwheel::publish {

namespace {

bool is_pkg_info(const wheel::TarMember& member) {
  constexpr std::string_view kName = "/PKG-INFO";
  return member.kind == wheel::TarKind::file && member.name.ends_with(kName) &&
         member.name.find('/') == member.name.size() - kName.size();
}

}  // namespace

Result<std::string> sdist_metadata(std::string_view tar) {
  TRY(const std::vector<wheel::TarMember> members, wheel::read_tar(tar));
  for (const wheel::TarMember& member : members) {
    if (is_pkg_info(member)) return std::string(member.contents);
  }
  return fail(ErrorKind::check, "the sdist has no `PKG-INFO`",
              "build it with a PEP 517 backend: python -m build --sdist");
}

}  // namespace pinwheel::publish
