#include "wheel/sdist_files.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"
#include "base/text.h"
#include "wheel/gzip_stream.h"
#include "wheel/member_stream.h"
#include "wheel/sdist.h"
#include "wheel/tar.h"
#include "wheel/zip_reader.h"

namespace pinwheel::wheel {
namespace {

constexpr uint32_t kExecuteBits = 0111;

std::string first_part(const std::string& name) {
  return name.substr(0, name.find('/'));
}

/// The name below the top-level directory; empty for that directory itself.
Result<std::string> below(const std::string& top, const std::string& name) {
  if (first_part(name) != top) {
    return fail(ErrorKind::check,
                "the sdist contains " + quoted(name) + " outside its directory " + quoted(top));
  }
  return name.substr(std::min(top.size() + 1, name.size()));
}

SdistFileKind kind_of(uint32_t mode) {
  return (mode & kExecuteBits) != 0 ? SdistFileKind::executable : SdistFileKind::plain;
}

/// Passes the members of a tar on as files below the top-level directory.
class TarFiles final : public TarVisitor {
 public:
  explicit TarFiles(SdistVisitor& visitor) : visitor_(visitor) {}

  Done member(const TarMember& member, uint64_t /*size*/) override {
    TRY(const std::string name, place(member));
    if (member.kind == TarKind::directory) return {};
    found_ = true;
    if (member.kind == TarKind::file) return visitor_.file({name, kind_of(member.mode)});
    TRY_DONE(check_link(member));
    return visitor_.file({name, SdistFileKind::link, member.target});
  }
  Done contents(std::string_view piece) override { return visitor_.contents(piece); }
  Done same(const TarMember& member, const std::string& first) override {
    TRY(const std::string name, place(member));
    TRY(const std::string earlier, below(top_, first));
    return visitor_.same({name, kind_of(member.mode)}, earlier);
  }

  bool found() const { return found_; }

 private:
  Result<std::string> place(const TarMember& member) {
    if (top_.empty()) top_ = first_part(member.name);
    TRY(std::string name, below(top_, member.name));
    if (name.empty() && member.kind != TarKind::directory) {
      return fail(ErrorKind::check, quoted(member.name) + " in the sdist is not a directory");
    }
    return name;
  }

  SdistVisitor& visitor_;
  std::string top_;
  bool found_ = false;
};

/// A small archive that unpacks to gigabytes is not unpacked for a minute first.
ByteLimit unpacked_limit(uint64_t packed) {
  const uint64_t harmless = std::max(4 * limits::kUnpackedFree, limits::kUnpackedRatio * packed);
  return {limits::kUnpackedSdist.of, std::min(limits::kUnpackedSdist.most, harmless)};
}

/// Whether there are files.
Result<bool> visit_tar_gz(const ports::ByteSource& source, SdistVisitor& visitor) {
  GzipStream tar(source, unpacked_limit(source.size()));
  TarFiles files(visitor);
  TRY_DONE(visit_tar(tar, files));
  return files.found();
}

Done visit_contents(const ZipReader& zip, const ZipMember& member, SdistVisitor& visitor) {
  TRY(MemberStream stream, MemberStream::open(zip, member));
  while (true) {
    TRY(const std::string_view piece, stream.next());
    if (piece.empty()) return {};
    TRY_DONE(visitor.contents(piece));
  }
}

Result<bool> visit_zip(const ports::ByteSource& source, SdistVisitor& visitor) {
  TRY(const ZipReader zip, ZipReader::open(source));
  bool found = false;
  uint64_t total = 0;
  for (const ZipMember& member : zip.members()) {
    total += member.size;
    TRY_DONE(check_size("the unpacked zip file", total, limits::kUnpackedSdist));
    TRY(std::string name, below(first_part(zip.members().front().name), member.name));
    if (member.is_directory() || name.empty()) continue;
    found = true;
    TRY_DONE(visitor.file({std::move(name), kind_of(member.mode)}));
    TRY_DONE(visit_contents(zip, member, visitor));
  }
  return found;
}

}  // namespace

Done visit_sdist(std::string_view file_name, const ports::ByteSource& source,
                 SdistVisitor& visitor) {
  TRY(const bool found,
      file_name.ends_with(".zip") ? visit_zip(source, visitor) : visit_tar_gz(source, visitor));
  if (!found) return fail(ErrorKind::check, quoted(file_name) + " contains no files");
  return {};
}

}  // namespace pinwheel::wheel
