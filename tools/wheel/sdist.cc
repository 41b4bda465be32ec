#include "wheel/sdist.h"

#include <algorithm>

#include "base/limits.h"
#include "base/text.h"
#include "pep/name.h"
#include "pep/version.h"
#include "pep/wheel_name.h"
#include "wheel/deflate.h"
#include "wheel/tar.h"
#include "wheel/zip_reader.h"

namespace pinwheel::wheel {
namespace {

constexpr uint64_t kHarmlessRatio = 250;
constexpr std::string_view kBackendHint =
    "build it with a PEP 517 backend that follows PEP 625: python -m build --sdist";

std::string_view top_of(std::string_view name) {
  return name.substr(0, std::min(name.find('/'), name.size()));
}

// `..` is allowed only at the beginning: after a link, a later one would not undo the part before
// it.
bool stays_inside(const TarMember& link) {
  std::string_view target = link.target;
  auto depth = std::count(link.name.begin(), link.name.end(), '/');
  while (target == ".." || target.starts_with("../")) {
    target.remove_prefix(std::min<size_t>(3, target.size()));
    --depth;
  }
  if (depth < 1 || link.target.empty()) return false;
  return target.empty() || target == "." || is_safe_member_name(target);
}

Done check_member(const TarMember& member, std::string_view top) {
  if (top_of(member.name) != top) {
    return fail(
        ErrorKind::check,
        "the sdist contains " + quoted(member.name) + " outside its directory " + quoted(top),
        std::string(kBackendHint));
  }
  if (member.name == top && member.kind != TarKind::directory) {
    return fail(ErrorKind::check, quoted(top) + " in the sdist is not a directory");
  }
  return member.kind == TarKind::symlink ? check_link(member) : Done{};
}

Result<Metadata> read_pkg_info(const std::vector<TarMember>& members, const std::string& top) {
  const std::string path = top + "/PKG-INFO";
  const auto found = std::find_if(members.begin(), members.end(), [&](const TarMember& member) {
    return member.name == path && member.kind == TarKind::file;
  });
  if (found == members.end()) {
    return fail(ErrorKind::check, "the sdist has no " + quoted(path), std::string(kBackendHint));
  }
  Result<Metadata> metadata = parse_metadata(found->contents);
  if (metadata) return metadata;
  return fail(Error{ErrorKind::check, quoted(path) + " in the sdist is invalid"}.with_cause(
      std::move(metadata).error()));
}

Result<std::string> normal_version(const std::string& version) {
  TRY(const pep::Version parsed, pep::parse_version(version));
  return pep::to_string(parsed);
}

Result<SdistInfo> describe(const std::vector<TarMember>& members) {
  if (members.empty()) return fail(ErrorKind::check, "the sdist is empty");
  SdistInfo info;
  info.directory = std::string(top_of(members.front().name));
  for (const TarMember& member : members) {
    TRY_DONE(check_member(member, info.directory));
    info.members.push_back(member.name);
  }
  std::sort(info.members.begin(), info.members.end());
  TRY(info.metadata, read_pkg_info(members, info.directory));
  TRY(const std::string version, normal_version(info.metadata.version()));
  const std::string expected = pep::escape_name(info.metadata.name()) + "-" + version;
  if (info.directory != expected) {
    return fail(ErrorKind::check,
                "the sdist's directory is " + quoted(info.directory) +
                    ", but by its PKG-INFO it should be " + quoted(expected),
                std::string(kBackendHint));
  }
  return info;
}

Result<std::string> unpack_sdist(std::string_view tar_gz) {
  const uint64_t by_ratio =
      std::max<uint64_t>(limits::kUnpackedFree, tar_gz.size() * kHarmlessRatio);
  return gunzip(tar_gz, std::min(limits::kFinishedSdist.most, by_ratio));
}

/// The old archive is not held when the new one is compressed.
Result<std::string> rewritten_tar(std::string_view tar_gz, int64_t epoch) {
  TRY(const std::string tar, unpack_sdist(tar_gz));
  TRY(std::vector<TarMember> members, read_tar(tar));
  TRY_DONE(describe(members));
  uint64_t size = 0;
  for (const TarMember& member : members) size += member.contents.size();
  // A hard link becomes another copy.
  TRY_DONE(check_size("the unpacked sdist", size, limits::kFinishedSdist));
  return write_tar(std::move(members), epoch);
}

}  // namespace

Done check_link(const TarMember& link) {
  if (stays_inside(link)) return {};
  return fail(ErrorKind::check,
              "the link " + quoted(link.name) +
                  " points outside the sdist: " + quoted(link.target.substr(0, 200)),
              "replace the link with the file");
}

Result<SdistInfo> read_sdist(std::string_view file_name, std::string_view tar_gz) {
  const Result<pep::SdistName> name = pep::parse_sdist_name(file_name);
  if (!name || pep::to_string(*name) != file_name) {
    return fail(ErrorKind::check, quoted(file_name) + " is not an sdist file name",
                name ? "it should be " + quoted(pep::to_string(*name)) : std::string(kBackendHint));
  }
  TRY(const std::string tar, unpack_sdist(tar_gz));
  TRY(const std::vector<TarMember> members, read_tar(tar));
  TRY(SdistInfo info, describe(members));
  if (info.directory + ".tar.gz" != file_name) {
    return fail(ErrorKind::check, quoted(file_name) + " contains " + quoted(info.directory));
  }
  return info;
}

Done check_sdist(const SdistInfo& sdist, const Naming& expected) {
  const std::string name = sdist.metadata.name();
  if (pep::normalize_name(name) != pep::normalize_name(expected.distribution)) {
    return fail(ErrorKind::check, "the sdist has the name " + quoted(name) + ", expected " +
                                      quoted(expected.distribution));
  }
  TRY(const pep::Version has, pep::parse_version(sdist.metadata.version()));
  TRY(const pep::Version wanted, pep::parse_version(expected.version));
  if (has != wanted) {
    return fail(ErrorKind::check,
                "the sdist has the version " + quoted(pep::to_string(has)) + ", expected " +
                    quoted(pep::to_string(wanted)),
                "make the backend use the version that pinwheel passes to it");
  }
  return {};
}

Result<std::string> finish_sdist(std::string_view tar_gz, int64_t epoch) {
  TRY(const std::string tar, rewritten_tar(tar_gz, epoch));
  return gzip(tar);
}

}  // namespace pinwheel::wheel
