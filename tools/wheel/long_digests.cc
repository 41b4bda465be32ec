#include "wheel/long_digests.h"

#include <map>
#include <string_view>

#include "wheel/member_stream.h"

namespace pinwheel::wheel {
namespace {

Result<std::string> long_digest(const ZipReader& zip, const ZipMember& member, LongSha kind) {
  TRY(MemberStream stream, MemberStream::open(zip, member));
  LongHash hash(kind);
  while (true) {
    TRY(const std::string_view piece, stream.next());
    if (piece.empty()) return base64url(hash.finish());
    hash.update(piece);
  }
}

}  // namespace

Result<std::vector<MemberDigest>> with_long_digests(std::vector<MemberDigest> members,
                                                    const std::vector<RecordRow>& rows,
                                                    const ZipReader& zip) {
  std::map<std::string_view, LongSha> wanted;
  for (const RecordRow& row : rows) {
    if (const std::optional<LongSha> kind = long_algorithm(row)) wanted.emplace(row.path, *kind);
  }
  if (wanted.empty()) return members;
  std::map<std::string_view, const ZipMember*> archived;
  for (const ZipMember& member : zip.members()) archived.emplace(member.name, &member);
  for (MemberDigest& member : members) {
    const auto kind = wanted.find(member.name);
    const auto found = archived.find(member.name);
    if (kind == wanted.end() || found == archived.end()) continue;
    TRY(member.long_digest, long_digest(zip, *found->second, kind->second));
  }
  return members;
}

}  // namespace pinwheel::wheel
