#include "publish/sdist_metadata.h"

#include <optional>
#include <utility>

#include "base/limits.h"
#include "base/text.h"
#include "wheel/tar.h"

namespace pinwheel::publish {

namespace {

bool is_pkg_info(const wheel::TarMember& member) {
  constexpr std::string_view kName = "/PKG-INFO";
  return member.kind == wheel::TarKind::file && member.name.ends_with(kName) &&
         member.name.find('/') == member.name.size() - kName.size();
}

/// Stores the first PKG-INFO of the top-level directory.
class PkgInfo final : public wheel::TarVisitor {
 public:
  Done member(const wheel::TarMember& member, uint64_t size) override {
    add(member);
    is_wanted_ = !found && is_pkg_info(member);
    if (!is_wanted_) return {};
    found.emplace();
    return check_size(quoted(member.name), size, limits::kMetadata);
  }
  Done contents(std::string_view piece) override {
    if (is_wanted_) *found += piece;
    return {};
  }
  Done same(const wheel::TarMember& member, const std::string& first) override {
    add(member);
    if (found || !is_pkg_info(member)) return {};
    return fail(ErrorKind::check,
                quoted(member.name) + " in the sdist is a hard link to " + quoted(first));
  }

  std::optional<std::string> found;
  std::set<std::string, std::less<>> files;

 private:
  void add(const wheel::TarMember& member) {
    const size_t slash = member.name.find('/');
    if (slash == std::string::npos || member.kind == wheel::TarKind::directory) return;
    files.insert(member.name.substr(slash + 1));
  }

  bool is_wanted_ = false;
};

}  // namespace

Result<SdistContents> sdist_metadata(wheel::ByteStream& tar) {
  PkgInfo info;
  TRY_DONE(wheel::visit_tar(tar, info));
  if (info.found) return SdistContents{*std::move(info.found), std::move(info.files)};
  return fail(ErrorKind::check, "the sdist has no `PKG-INFO`",
              "build it with a PEP 517 backend: python -m build --sdist");
}

}  // namespace pinwheel::publish
