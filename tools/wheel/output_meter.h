#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "base/digest.h"
#include "base/result.h"
#include "wheel/zip_writer.h"

namespace pinwheel::wheel {

/// Counts and hashes the bytes on their way to the caller's output, which must outlive it.
class OutputMeter {
 public:
  explicit OutputMeter(const ZipOutput& output) : output_(output) {}
  Done put(std::string_view bytes) {
    hash_.update(bytes);
    size_ += bytes.size();
    return output_(bytes);
  }
  uint64_t size() const { return size_; }
  /// Hexadecimal; may be called once.
  std::string sha256() { return to_hex(hash_.finish()); }

 private:
  const ZipOutput& output_;
  Sha256 hash_;
  uint64_t size_ = 0;
};

}  // namespace pinwheel::wheel
