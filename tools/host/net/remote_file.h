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

/// What becomes of a file that a server only gives whole.
struct WholeFiles {
  std::filesystem::path directory;  ///< where it is kept while it is read; it must exist
  /// Told its address, once; empty where nobody asks.
  std::function<void(std::string_view url)> on_download = {};
};

/// A file on a web server, of which only the parts are fetched that are asked for (HTTP ranges).
/// From a server that knows no ranges all of it comes, into a file without a name that goes with
/// this object. Not for several threads. What `access` refers to must outlive it.
class RemoteFile final : public ports::ByteSource {
 public:
  /// `config` when there is no such file, `environment` or `transient` when no answer comes.
  static Result<std::unique_ptr<RemoteFile>> open(const RemoteAccess& access, WholeFiles whole,
                                                  const std::string& url);
  ~RemoteFile() override;

  uint64_t size() const override { return size_; }
  Result<std::string> read(uint64_t offset, uint64_t length) const override;

  /// How many bytes of the file have come so far.
  uint64_t bytes_fetched() const { return fetched_; }

 private:
  class Receiver;

  RemoteFile(const RemoteAccess& access, WholeFiles whole, std::string url);

  Done fetch(uint64_t offset, uint64_t length) const;
  /// Takes over the bytes of a reply with a part, or with all of it.
  Done keep_part(const RemoteReply& answer, std::string bytes, uint64_t offset) const;
  Done keep_whole(Receiver& receiver) const;

  RemoteAccess access_;
  WholeFiles whole_files_;
  // What a read learns: where redirections lead, the size, the last part, the copy on disk.
  mutable std::string url_;
  mutable uint64_t size_ = 0;
  mutable uint64_t fetched_ = 0;
  mutable std::string part_;
  mutable uint64_t part_at_ = 0;
  mutable std::unique_ptr<ports::ByteSource> whole_;
};

}  // namespace pinwheel::host
