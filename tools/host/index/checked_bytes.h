#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "base/digest.h"
#include "ports/byte_source.h"

namespace pinwheel::host {

/// Bytes that are hashed while they are read from start to end, as often as necessary: the read of
/// the last ones fails if all of them together do not have the SHA-256 (kind `check`), so that a
/// file which changed meanwhile is never sent completely. For one thread.
class CheckedBytes final : public ports::ByteSource {
 public:
  /// Errors refer to the bytes as `name`.
  CheckedBytes(std::shared_ptr<const ports::ByteSource> bytes, std::string sha256,
               std::string name);

  uint64_t size() const override { return bytes_->size(); }
  Result<std::string> read(uint64_t offset, uint64_t length) const override;

 private:
  std::shared_ptr<const ports::ByteSource> bytes_;
  std::string sha256_;
  std::string name_;
  mutable Sha256 hash_;
  mutable uint64_t hashed_ = 0;
};

}  // namespace pinwheel::host
