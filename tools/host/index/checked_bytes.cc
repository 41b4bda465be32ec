#include "host/index/checked_bytes.h"

#include <utility>

#include "base/text.h"

namespace pinwheel::host {

CheckedBytes::CheckedBytes(std::shared_ptr<const ports::ByteSource> bytes, std::string sha256,
                           std::string name)
    : bytes_(std::move(bytes)), sha256_(std::move(sha256)), name_(std::move(name)) {}

Result<std::string> CheckedBytes::read(uint64_t offset, uint64_t length) const {
  TRY(std::string piece, bytes_->read(offset, length));
  if (offset == 0) {
    hash_ = Sha256();
    hashed_ = 0;
  }
  if (offset != hashed_) {
    return fail(ErrorKind::internal, quoted(name_) + " is not read from start to end");
  }
  if (piece.empty()) return piece;
  hash_.update(piece);
  hashed_ += piece.size();
  if (hashed_ == size() && to_hex(hash_.finish()) != sha256_) {
    return fail(ErrorKind::check, quoted(name_) + " changed after it was checked",
                "no index has the new bytes; publish again when nothing writes to the file");
  }
  return piece;
}

}  // namespace pinwheel::host
