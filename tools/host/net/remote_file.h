#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "host/net/get_remote.h"
#include "ports/byte_source.h"

namespace pinwheel::host {

/// How to handle a file from a server without range requests.
struct WholeFiles {
  std::filesystem::path directory;  ///< the directory of the file while it is read; must exist
  /// Called once with its URL; may be empty.
  std::function<void(std::string_view url)> on_download = {};
};

/// A file on a web server, of which only the requested parts are fetched (HTTP ranges). If the
/// server does not support ranges, all of it is downloaded to an unnamed file owned by this object.
/// Not thread-safe. Whatever `access` refers to must outlive it.
class RemoteFile final : public ports::ByteSource {
 public:
  /// `config` if there is no such file, `environment` or `transient` if there is no response.
  static Result<std::unique_ptr<RemoteFile>> open(const RemoteAccess& access, WholeFiles whole,
                                                  const std::string& url);
  ~RemoteFile() override;

  uint64_t size() const override { return size_; }
  Result<std::string> read(uint64_t offset, uint64_t length) const override;

  /// The number of bytes of the file received so far.
  uint64_t bytes_fetched() const { return fetched_; }

 private:
  class Receiver;

  RemoteFile(const RemoteAccess& access, WholeFiles whole, std::string url);

  Done fetch(uint64_t offset, uint64_t length) const;
  /// Stores the bytes of a response with a part, or with the whole file.
  Done store_part(const RemoteReply& answer, std::string bytes, uint64_t offset) const;
  Done store_whole(Receiver& receiver) const;

  RemoteAccess access_;
  WholeFiles whole_files_;
  // Cached by reads: the URL after redirects, the size, the last part, the copy on disk.
  mutable std::string url_;
  mutable uint64_t size_ = 0;
  mutable uint64_t fetched_ = 0;
  mutable std::string part_;
  mutable uint64_t part_at_ = 0;
  mutable std::unique_ptr<ports::ByteSource> whole_;
};

}  // namespace pinwheel::host
