#include "wheel/sdist_files.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "ports/byte_source.h"
#include "wheel/sdist.h"
#include "wheel/tar.h"
#include "wheel/zip_reader.h"

namespace pinwheel::wheel {
namespace {

constexpr uint32_t kExecuteBits = 0111;
constexpr uint64_t kMostInZip = uint64_t{1} << 30U;

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

Result<std::vector<SdistFile>> from_tar(std::string_view tar_gz) {
  TRY(const std::string tar, unpack_sdist(tar_gz));
  TRY(const std::vector<TarMember> members, read_tar(tar));
  std::vector<SdistFile> files;
  for (const TarMember& member : members) {
    TRY(std::string name, below(first_part(members.front().name), member.name));
    if (member.kind == TarKind::directory) continue;
    if (name.empty()) {
      return fail(ErrorKind::check, quoted(member.name) + " in the sdist is not a directory");
    }
    if (member.kind == TarKind::symlink) {
      TRY_DONE(check_link(member));
      files.push_back({std::move(name), SdistFileKind::link, member.target});
      continue;
    }
    files.push_back({std::move(name), kind_of(member.mode), std::string(member.contents)});
  }
  return files;
}

Result<std::vector<SdistFile>> from_zip(std::string_view bytes) {
  const ports::MemorySource source{std::string(bytes)};
  TRY(const ZipReader zip, ZipReader::open(source));
  std::vector<SdistFile> files;
  uint64_t total = 0;
  for (const ZipMember& member : zip.members()) {
    total += member.size;
    if (total > kMostInZip) {
      return fail(ErrorKind::check, "the sdist unpacks to more than 1 GiB");
    }
    TRY(std::string name, below(first_part(zip.members().front().name), member.name));
    if (member.is_directory() || name.empty()) continue;
    TRY(std::string contents, zip.read(member));
    files.push_back({std::move(name), kind_of(member.mode), std::move(contents)});
  }
  return files;
}

}  // namespace

Result<std::vector<SdistFile>> sdist_files(std::string_view file_name, std::string_view bytes) {
  TRY(std::vector<SdistFile> files,
      file_name.ends_with(".zip") ? from_zip(bytes) : from_tar(bytes));
  if (files.empty()) return fail(ErrorKind::check, quoted(file_name) + " contains no files");
  return files;
}

}  // namespace pinwheel::wheel
