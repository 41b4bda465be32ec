#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "base/limits.h"
#include "ports/byte_source.h"
#include "wheel/byte_stream.h"

namespace pinwheel::wheel {

/// Inflates a gzip file of one member in chunks of constant memory. The source must outlive it.
class GzipStream final : public ByteStream {
 public:
  /// `limit` is that of the inflated bytes.
  GzipStream(const ports::ByteSource& source, const ByteLimit& limit);
  ~GzipStream() override;

  /// Kind `check` when the file is corrupt, has another checksum, data after its end, or more bytes
  /// than the limit.
  Result<std::string_view> next() override;

 private:
  struct Inflater;

  Done refill();
  Done check_end();

  const ports::ByteSource* source_;
  ByteLimit limit_;
  uint64_t read_ = 0;  ///< bytes of the file
  uint64_t made_ = 0;  ///< bytes of its contents
  std::string input_;
  std::string piece_;
  std::unique_ptr<Inflater> inflater_;
};

}  // namespace pinwheel::wheel
