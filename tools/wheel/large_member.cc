#include "wheel/large_member.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/digest.h"
#include "wheel/deflate.h"
#include "wheel/member_stream.h"
#include "wheel/zip_format.h"

namespace pinwheel::wheel {
namespace {

// The contents of a smaller member are in memory twice.
constexpr uint64_t kLargeFrom = uint64_t{16} << 20U;

}  // namespace

bool is_large(const ZipMember& member) {
  return member.size > kLargeFrom;
}

Result<LargeContents> read_large(const ZipReader& zip, const ZipMember& member,
                                 ports::LargeMemories& memories) {
  TRY(MemberStream stream, MemberStream::open(zip, member));
  LargeContents contents;
  TRY(contents.memory, memories.make(member.size));
  Sha256 hash;
  char* out = contents.memory->data();
  while (true) {
    TRY(const std::string_view piece, stream.next());
    if (piece.empty()) break;
    std::memcpy(out, piece.data(), piece.size());
    out += piece.size();
    hash.update(piece);
  }
  contents.sha256 = base64url(hash.finish());
  return contents;
}

Result<LargePacked> pack_large(PackedView named, LargeContents contents,
                               ports::LargeMemories& memories, uint64_t most) {
  const std::string_view bytes(contents.memory->data(), named.size);
  TRY(std::unique_ptr<ports::LargeMemory> room,
      memories.make(std::min(deflate_bound(named.size), most)));
  const uint64_t length = deflate_into(bytes, room->data(), room->size());
  if (length == 0) return fail(compresses_worse(named.name, most));
  const bool smaller = length < named.size;
  LargePacked packed{smaller ? std::move(room) : std::move(contents.memory), std::move(named)};
  packed.view.method = smaller ? zip::kDeflated : zip::kStored;
  packed.view.packed = {packed.memory->data(), smaller ? length : packed.view.size};
  return packed;
}

}  // namespace pinwheel::wheel
