#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_ranges.h"
#include "base/result.h"
#include "host/net/get_remote.h"
#include "host/system/pending_file.h"
#include "ports/byte_source.h"

namespace pinwheel::host {

/// Where the bytes of a remote file are stored, and whom to inform.
struct WholeFiles {
  std::filesystem::path directory;  ///< the directory of an unnamed file; must exist
  /// Called once with its URL if the file is downloaded completely, because its server does not
  /// support ranges; may be empty.
  std::function<void(std::string_view url)> on_download = {};
  /// Called often with the number of bytes received so far, on the reading thread; may be empty.
  std::function<void(uint64_t bytes)> on_bytes = {};
};

/// What is known before the first request.
struct RemoteStart {
  /// The length of the first part, which is the end of the file.
  uint64_t tail = 65536;
  /// The size that an index states; `check` if the file has another.
  std::optional<uint64_t> size = std::nullopt;
};

/// A file on a web server, of which only the requested parts are fetched, each once (RFC 9110,
/// range requests). They are stored in an unnamed file owned by this object. If the server does not
/// support ranges, the whole file is downloaded. Every part is requested with `If-Range`, and its
/// place, length and validator (ETag, Last-Modified) are compared with those of the first, so that
/// the parts are those of one file: otherwise `transient`, as the file changed. Thread-safe: the
/// requests are sent one after another. Whatever `access` refers to must outlive it.
class RemoteFile final : public ports::ByteSource {
 public:
  /// `config` if there is no such file, `environment` or `transient` if there is no response.
  static Result<std::unique_ptr<RemoteFile>> open(const RemoteAccess& access, WholeFiles whole,
                                                  const std::string& url,
                                                  const RemoteStart& start = {});
  ~RemoteFile() override;

  uint64_t size() const override { return size_; }
  Result<std::string> read(uint64_t offset, uint64_t length) const override;

  /// Fetches all of these ranges in as few requests as reasonable: nearby ones together.
  Done fetch(const std::vector<ByteRange>& ranges) const;
  /// Whether the bytes are on this machine.
  bool has(const ByteRange& range) const;
  /// The number of bytes of the file received so far.
  uint64_t bytes_fetched() const;
  /// The number of requests for parts or all of it, without redirects and repetitions.
  uint64_t requests() const;

 private:
  class FirstReply;
  class PartReply;

  RemoteFile(const RemoteAccess& access, WholeFiles whole, std::string url);

  Done begin(const RemoteStart& start);
  Done begin_with_tail(const RemoteReply& answer, const std::string& tail);
  Done download_whole();
  Done take_whole(UnnamedFile file, uint64_t size);
  Done check_known_size(const RemoteStart& start) const;
  /// Makes the bytes present; the mutex is locked.
  Done ensure(const ByteRange& wanted) const;
  Done fetch_part(const ByteRange& part) const;
  Done request_part(const ByteRange& part) const;
  /// Whether the reply has exactly the part, of the same file as the first one.
  Done check_part(const RemoteReply& answer, const ByteRange& part, uint64_t received) const;
  tl::unexpected<Error> changed() const;

  RemoteAccess access_;
  WholeFiles whole_files_;
  std::string start_url_;
  uint64_t size_ = 0;
  std::string etag_;
  std::string modified_;
  std::unique_ptr<ports::ByteSource> stored_;  ///< the unnamed file, also where parts are missing
  mutable std::mutex mutex_;
  // Changed by reads, with the mutex.
  mutable UnnamedFile file_;
  mutable std::string url_;  ///< after redirects
  mutable ByteRanges present_;
  mutable uint64_t fetched_ = 0;
  mutable uint64_t requests_ = 0;
};

}  // namespace pinwheel::host
