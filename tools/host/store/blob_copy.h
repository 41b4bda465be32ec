#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/digest.h"
#include "host/store/place.h"
#include "host/system/unique_fd.h"

namespace pinwheel::host {

/// The required durability of a finished file.
enum class Durable {
  no,       ///< its readers compare it, or only this run uses it
  written,  ///< its file system, perhaps a server, has accepted all of it
  yes,      ///< it survives a power loss
};
struct BlobFileOptions {
  Durable durable = Durable::no;
  uint32_t mode = 0644;
};

/// A file that receives the bytes of a blob and gets its name only once they match the digest.
/// Until then it is unnamed, if the file system supports that: a killed process leaves nothing.
class BlobFile {
 public:
  BlobFile(std::filesystem::path target, store::Blob blob, BlobFileOptions options);
  ~BlobFile();
  BlobFile(const BlobFile&) = delete;
  BlobFile& operator=(const BlobFile&) = delete;

  /// After a failure nothing more is written; `finish` returns the fault. Nothing is written if the
  /// file system has less room than the blob needs.
  void write(std::string_view bytes);
  /// An error if the bytes could not be written: the transfer may stop.
  Done written() const;
  /// Discards the written bytes: half of a response.
  void restart();
  /// Shares the bytes of an open file (a reflink), which are read once to compare them; false if
  /// the file system cannot do that.
  bool clone(int source);
  /// Gives the file its name, replacing an existing file. `wrong_bytes` if they are not those of
  /// the blob, `full` or `unreachable` if it cannot be written.
  PlaceDone finish();

 private:
  void open();
  int make_durable() const;  ///< 0 or an errno value
  PlaceDone take_name();
  tl::unexpected<PlaceFault> unwritable(int number) const;

  std::filesystem::path target_;
  store::Blob blob_;
  BlobFileOptions options_;
  UniqueFd fd_;
  std::filesystem::path temporary_ = {};  ///< empty while the file has no name
  Sha256 hash_ = {};
  uint64_t size_ = 0;
  int error_ = 0;  ///< errno of the first failure
};

/// Passes the bytes of an open file to `take` in pieces. Returns 0 or an errno value.
int read_pieces(int fd, const std::function<void(std::string_view bytes)>& take);

/// Makes `target` the blob from the file `source`, by a reflink or a copy. `wrong_bytes` if the
/// file is another one, `unreachable` if it cannot be read, and as `BlobFile::finish`.
PlaceDone copy_blob(const std::filesystem::path& source, const std::filesystem::path& target,
                    const store::Blob& blob, const BlobFileOptions& options);

/// The fault of a system call on a path, by its errno value.
tl::unexpected<PlaceFault> system_fault(std::string_view participle,
                                        const std::filesystem::path& path, int number);

}  // namespace pinwheel::host
